import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../platform/audit/audit.ts';
import { identityOf } from './guard.ts';

/** Returns who makes a change with this request, for the audit record. */
export function actorOf(request: FastifyRequest): Actor {
  const { userId, email, via, client } = identityOf(request);
  return {
    id: userId,
    name: client === undefined ? email : `${email} (${client})`,
    via,
    requestId: request.id,
  };
}
