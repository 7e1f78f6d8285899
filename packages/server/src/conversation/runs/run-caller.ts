import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { Identity } from '../../http/access/identity.ts';
import type { Arrival } from '../../http/exchange/arrivals.ts';
import type { RunCaller } from './intake/run-intake.ts';

/** Returns who starts a run with a request, and the place of that request among the caller's. */
export function runCallerOf(
  { userId, custom }: Identity,
  { mount, arrival, trace = null }: { mount: Mount; arrival?: Arrival | undefined; trace?: string | null },
): RunCaller {
  return {
    userId,
    mount,
    ...(custom && { authUser: custom }),
    ...(arrival && { arrival }),
    ...(trace !== null && { traceparent: trace }),
  };
}
