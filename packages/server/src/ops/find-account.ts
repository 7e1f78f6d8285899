import type { AccountRow, AccountStore } from '../accounts/account-store.ts';

type Accounts = Pick<AccountStore, 'find' | 'findByEmail'>;

/**
 * Finds the account that a configuration names by its e-mail address or its id. Returns null when no such account may
 * sign in.
 */
export async function findAccount(store: Accounts, name: string): Promise<{ userId: string } | null> {
  const account = await accountNamed(store, name, 'an account that the configuration names');
  return account && account.disabled === 0 ? { userId: account.id } : null;
}

/** Finds the account that an administrator names; it may be disabled. */
export async function findAnyAccount(store: Accounts, name: string): Promise<{ userId: string } | null> {
  const account = await accountNamed(store, name, 'an account that an administrator names');
  return account ? { userId: account.id } : null;
}

function accountNamed(store: Accounts, name: string, reason: string): Promise<AccountRow | undefined> {
  const owner = { system: reason };
  return name.includes('@') ? store.findByEmail(owner, name.toLowerCase()) : store.find(owner, name);
}
