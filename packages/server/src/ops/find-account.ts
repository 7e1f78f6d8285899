import type { AccountStore } from '../accounts/account-store.ts';

/** The account that a configuration names by its e-mail address or its id; null where there is none that may sign in. */
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
