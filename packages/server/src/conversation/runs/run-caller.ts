import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { Identity } from '../../http/access/identity.ts';
import type { RunCaller } from './intake/run-intake.ts';

/** Returns who starts a run with a request. */
export function runCallerOf({ userId, custom }: Identity, mount: Mount): RunCaller {
  return { userId, mount, ...(custom && { authUser: custom }) };
}
