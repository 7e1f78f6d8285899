import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../platform/audit/audit.ts';
import { identityOf } from './guard.ts';

/** Returns who makes a change with this request, for the audit record. */
export function actorOf(request: FastifyRequest): Actor {
  const { userId, email, via } = identityOf(request);
  return { id: userId, name: email, via, requestId: request.id };
}
