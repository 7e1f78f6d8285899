import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { identityOf, isAdmin } from './guard.ts';

/** Only administrators may filter a list by another user. All users may name themselves. */
export function requireAdminFor(request: FastifyRequest, owner: string | undefined): void {
  const identity = identityOf(request);
  if (owner === undefined || owner === identity.userId || isAdmin(identity)) return;
  throw new AppError('admin_required', {
    message: 'Only administrators may filter by owner. Leave owner out.',
  });
}
