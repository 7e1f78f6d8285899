import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import type { RunCaller } from './intake/run-intake.ts';

/** Returns who starts a run. */
export function runCallerOf({ userId, custom }: Identity, mount: Mount): RunCaller {
  return { userId, mount, ...(custom && { authUser: custom }) };
}

/** Returns who starts a run with a request, and when the request arrived. */
export function requestCallerOf(request: FastifyRequest, mount: Mount): RunCaller {
  const arrival = arrivalOf(request);
  return { ...runCallerOf(identityOf(request), mount), ...(arrival && { arrival }) };
}
