import { type Owner, requireOwner } from '../lib/owner.ts';

/**
 * Whose rows the stores of this area show: those of one user, administrators included. Null, which is every row, is for
 * internal callers that say their reason.
 */
export function userScope(owner: Owner): string | null {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  return 'admin' in checked ? checked.admin : null;
}
