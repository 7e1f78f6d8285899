import type { Role } from '@switchyard/contract/accounts/account';
import type { Caller } from '../http/access/caller.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { WriteTransaction } from '../platform/database/database.ts';
import { newAccountRow, newOneTimePassword } from './account.ts';
import type { AccountEvents } from './account-events.ts';
import type { AccountPage, AccountRow, AccountStore, AdminChange } from './account-store.ts';
import { emailFaults, throwFaults } from './email.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { AccountTables } from './tables.ts';

/** Removes what an account leaves in other areas. */
export interface AccountCleanup {
  /** Part of the unit that deletes the account. */
  plan(trx: WriteTransaction<AccountTables>, userId: string): Promise<void>;
  /** Called after that unit. */
  wake(): void;
}

interface UsersOptions {
  store: AccountStore;
  passwords: Passwords;
  events: AccountEvents;
  /** Null when there is nothing to remove. */
  cleanup: AccountCleanup | null;
  clock: Clock;
}

export type WithOneTimePassword = AccountRow & { one_time_password: string };

/** What administrators do with other people's accounts. The first argument of each method is the administrator. */
export class Users {
  readonly #options: UsersOptions;

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  async list(admin: string, page: AccountPage): Promise<{ total: number; items: AccountRow[] }> {
    return this.#options.store.list({ admin }, page);
  }

  async create(
    admin: string,
    input: { email: string; role: Role; caller: Caller },
  ): Promise<WithOneTimePassword> {
    const { store, passwords, events, clock } = this.#options;
    throwFaults(emailFaults(input.email, 'email'));
    const password = newOneTimePassword();
    const account = newAccountRow({
      email: input.email,
      passwordHash: await passwords.hash(password, input.caller),
      role: input.role,
      needsSetup: true,
      atMs: clock(),
    });
    if (!(await store.insert({ admin }, account))) throw new AppError('email_already_exists');
    events.record('user_created', { user_id: account.id, by: admin, role: input.role });
    return { ...account, one_time_password: password };
  }

  /** Ends what the account has open, so that nothing continues with its previous rights. */
  async update(admin: string, userId: string, change: AdminChange): Promise<AccountRow> {
    const { store, events } = this.#options;
    const account = changed(await store.administer({ admin }, userId, change));
    const { disabled, role } = change;
    if (disabled !== undefined) {
      events.record(disabled ? 'user_disabled' : 'user_enabled', { user_id: userId, by: admin });
    }
    if (role !== undefined) events.record('user_role_changed', { user_id: userId, by: admin, role });
    if (disabled || role !== undefined) await events.sessionsEnded(userId, null);
    return account;
  }

  async resetPassword(admin: string, userId: string, caller: Caller): Promise<WithOneTimePassword> {
    const { store, passwords, events } = this.#options;
    const before = changed(await store.find({ admin }, userId));
    const password = newOneTimePassword();
    const change = {
      hash: await passwords.hash(password, caller),
      needsSetup: true,
      expectedVersion: before.token_version,
    };
    const account = await store.changePassword({ admin }, userId, change);
    if (!account) throw new AppError('account_changed');
    events.record('user_password_reset', { user_id: userId, by: admin });
    await events.sessionsEnded(userId, null);
    return { ...account, one_time_password: password };
  }

  async delete(admin: string, userId: string): Promise<void> {
    const { store, events, cleanup } = this.#options;
    changed(await store.delete({ admin }, userId, async (trx) => cleanup?.plan(trx, userId)));
    events.record('user_deleted', { user_id: userId, by: admin });
    await events.sessionsEnded(userId, null);
    cleanup?.wake();
  }
}

function changed(outcome: AccountRow | 'last_admin' | undefined): AccountRow {
  if (outcome === 'last_admin') throw new AppError('last_admin');
  if (!outcome) throw new AppError('account_not_found');
  return outcome;
}
