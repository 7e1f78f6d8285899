import { type Owner, requireOwner } from '../lib/owner.ts';

/**
 * The user whose rows the stores of this area show; administrators see only their own too. Null shows every row and is reserved
 * for internal callers that give a reason.
 */
export function userScope(owner: Owner): string | null {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  return 'admin' in checked ? checked.admin : null;
}
