import type { Role } from '@switchyard/contract/accounts/account';
import type { Caller } from '../http/access/caller.ts';
import { AppError } from '../lib/app-error.ts';
import type { Actor, Audit, AuditEntry } from '../platform/audit/audit.ts';
import type { WriteTransaction } from '../platform/database/database.ts';
import { newAccountRow, newOneTimePassword } from './account.ts';
import type { AccountParts } from './account-parts.ts';
import type { AccountPage, AccountRow, AdminChange } from './account-store.ts';
import { emailFaults, throwFaults } from './email.ts';
import { type AccountTables, customAuthProvider } from './tables.ts';

/** Removes what an account leaves in other areas. */
export interface AccountCleanup {
  /** Part of the unit that deletes the account. */
  plan(trx: WriteTransaction<AccountTables>, userId: string): Promise<void>;
  /** Part of the unit that disables it. */
  planDisabling?(trx: WriteTransaction<AccountTables>, userId: string): Promise<void>;
  /** Called after the unit that deletes it. */
  wake?(): void;
}

export type WithOneTimePassword = AccountRow & { one_time_password: string };

/** The operations of administrators on other people's accounts. The first argument of each method is the administrator. */
export class Users {
  readonly #options;

  constructor(
    options: Pick<AccountParts, 'store' | 'passwords' | 'events' | 'clock'> & {
      audit: Pick<Audit, 'part' | 'record'>;
      cleanups: readonly AccountCleanup[];
    },
  ) {
    this.#options = options;
  }

  async list(actor: Actor, page: AccountPage): Promise<{ total: number; items: AccountRow[] }> {
    return this.#options.store.list({ admin: actor.id }, page);
  }

  async create(
    actor: Actor,
    input: { email: string; role: Role; caller: Caller },
  ): Promise<WithOneTimePassword> {
    const { store, passwords, events, audit, clock } = this.#options;
    throwFaults(emailFaults(input.email, 'email'));
    const password = newOneTimePassword();
    const account = newAccountRow({
      email: input.email,
      passwordHash: await passwords.hash(password, input.caller),
      role: input.role,
      needsSetup: true,
      atMs: clock(),
    });
    const record = audit.part(actor, {
      action: 'user.created',
      target: ['user', account.id],
      details: { email: account.email, role: input.role },
    });
    if (!(await store.insert({ admin: actor.id }, account, record)))
      throw new AppError('email_already_exists');
    events.record('user_created', { user_id: account.id, by: actor.id, role: input.role });
    return { ...account, one_time_password: password };
  }

  /** Ends what the account has open, so that nothing continues with its previous rights. */
  async update(actor: Actor, userId: string, change: AdminChange): Promise<AccountRow> {
    const { store, events, audit, cleanups } = this.#options;
    const admin = actor.id;
    if (change.role === 'admin') requireMember(changed(await store.find({ admin }, userId)));
    const beforeCommit: AdminChange['beforeCommit'] = async (trx) => {
      if (change.disabled) for (const cleanup of cleanups) await cleanup.planDisabling?.(trx, userId);
      for (const entry of entriesOf(userId, change)) await audit.record(trx, actor, entry);
    };
    const account = changed(await store.administer({ admin }, userId, { ...change, beforeCommit }));
    const { disabled, role } = change;
    if (disabled !== undefined) {
      events.record(disabled ? 'user_disabled' : 'user_enabled', { user_id: userId, by: admin });
    }
    if (role !== undefined) events.record('user_role_changed', { user_id: userId, by: admin, role });
    if (disabled || role !== undefined) await events.sessionsEnded(userId, null);
    return account;
  }

  async resetPassword(actor: Actor, userId: string, caller: Caller): Promise<WithOneTimePassword> {
    const { store, passwords, events, audit } = this.#options;
    const admin = actor.id;
    const before = changed(await store.find({ admin }, userId));
    requireMember(before);
    const password = newOneTimePassword();
    const change = {
      hash: await passwords.hash(password, caller),
      needsSetup: true,
      expectedVersion: before.token_version,
      beforeCommit: audit.part(actor, { action: 'user.password_reset', target: ['user', userId] }),
    };
    const account = await store.changePassword({ admin }, userId, change);
    if (!account) throw new AppError('account_changed');
    events.record('user_password_reset', { user_id: userId, by: admin });
    await events.sessionsEnded(userId, null);
    return { ...account, one_time_password: password };
  }

  async delete(actor: Actor, userId: string): Promise<void> {
    const { store, events, audit, cleanups } = this.#options;
    const admin = actor.id;
    const before = changed(await store.find({ admin }, userId));
    const alongside = async (trx: WriteTransaction<AccountTables>): Promise<void> => {
      for (const cleanup of cleanups) await cleanup.plan(trx, userId);
      const details = { email: before.email };
      await audit.record(trx, actor, { action: 'user.deleted', target: ['user', userId], details });
    };
    changed(await store.delete({ admin }, userId, alongside));
    events.record('user_deleted', { user_id: userId, by: admin });
    await events.sessionsEnded(userId, null);
    for (const cleanup of cleanups) cleanup.wake?.();
  }
}

function entriesOf(userId: string, { disabled, role }: AdminChange): AuditEntry[] {
  const target = ['user', userId] as const;
  return [
    ...(disabled === undefined ? [] : [{ action: disabled ? 'user.disabled' : 'user.enabled', target }]),
    ...(role === undefined ? [] : [{ action: 'user.role_changed', target, details: { role } }]),
  ];
}

/** Refuses what would give an account of the operator's own authentication a password or a role. */
function requireMember({ oauth_provider: provider }: AccountRow): void {
  if (provider === customAuthProvider) throw new AppError('account_signs_in_elsewhere');
}

function changed(outcome: AccountRow | 'last_admin' | undefined): AccountRow {
  if (outcome === 'last_admin') throw new AppError('last_admin');
  if (!outcome) throw new AppError('account_not_found');
  return outcome;
}
