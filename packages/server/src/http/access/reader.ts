import type { FastifyRequest } from 'fastify';
import type { Owner } from '../../lib/owner.ts';
import { adminOrOwnerOf, type Guard } from './guard.ts';

/** Returns who reads, and under which origin they reached the gateway, so that links in the response work for them. */
export function readerOf(
  request: FastifyRequest,
  guard: Pick<Guard, 'originOf'>,
): { owner: Owner; origin: string | undefined } {
  return { owner: adminOrOwnerOf(request), origin: guard.originOf(request) };
}
