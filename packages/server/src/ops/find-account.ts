import type { AccountStore } from '../accounts/account-store.ts';

/**
 * Finds the account that a configuration names by its e-mail address or its id. Returns null when no such account may
 * sign in.
 */
export async function findAccount(
  store: Pick<AccountStore, 'find' | 'findByEmail'>,
  name: string,
): Promise<{ userId: string } | null> {
  const owner = { system: 'an account that the configuration names' };
  const account = name.includes('@')
    ? await store.findByEmail(owner, name.toLowerCase())
    : await store.find(owner, name);
  return account && account.disabled === 0 ? { userId: account.id } : null;
}
