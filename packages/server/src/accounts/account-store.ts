import {
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  sql,
  type Transaction,
} from 'kysely';
import { type Owner, requireOwner } from '../lib/owner.ts';
import type { Database, WriteTransaction } from '../platform/database/database.ts';
import { isOneOf } from '../platform/database/dialect.ts';
import { Prepared } from '../platform/database/prepared.ts';
import { type AccountTables, customAuthProvider, type UserTable } from './tables.ts';

export type AccountRow = Selectable<UserTable>;

/** The facts about a session that each request with it reads. */
export interface SessionAccount
  extends Pick<
    AccountRow,
    'id' | 'email' | 'system_role' | 'needs_setup' | 'oauth_provider' | 'token_version' | 'disabled'
  > {
  /** Null unless the session was signed out. */
  revoked: string | null;
}

/** Runs after the row has changed and before the commit. If it throws, nothing has changed. */
export type BeforeCommit = (trx: WriteTransaction<AccountTables>) => Promise<void>;

export interface PasswordChange {
  hash: string;
  needsSetup: boolean;
  email?: string | undefined;
  /** The version that the caller saw. When two changes happen at once, the second finds no row. */
  expectedVersion: number;
  beforeCommit?: BeforeCommit;
}

/** At least one of the two fields is set. */
export interface AdminChange {
  disabled?: boolean | undefined;
  role?: AccountRow['system_role'] | undefined;
  beforeCommit?: BeforeCommit;
}

export interface AccountPage {
  limit: number;
  offset: number;
  /** Part of an e-mail address, in lower case. */
  q?: string | undefined;
}

export class AccountStore {
  readonly #db: Database<AccountTables>;

  constructor(db: Database<AccountTables>) {
    this.#db = db;
  }

  /** The only read that authenticates a session. It takes no owner, because it finds out who the owner is. */
  async bySession(userId: string, sessionId: string): Promise<SessionAccount | undefined> {
    return accountOfSession.first(this.#db.read, { userId, sessionId });
  }

  async find(owner: Owner, id: string): Promise<AccountRow | undefined> {
    return this.#visibleTo(owner).where('id', '=', id).executeTakeFirst();
  }

  async findByEmail(owner: Owner, email: string): Promise<AccountRow | undefined> {
    return this.#visibleTo(owner).where('email', '=', email).executeTakeFirst();
  }

  /** The e-mail addresses of these accounts, by their ids; those that are gone have none. */
  async emailsOf(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = isOneOf(this.#db.dialect, { column: 'id', values: ids });
    const rows = await this.#visibleTo(owner).clearSelect().select(['id', 'email']).where(named).execute();
    return new Map(rows.map(({ id, email }) => [id, email]));
  }

  /** Returns the account of an identity of the operator's own authentication. */
  async findCustom(owner: Owner, identity: string): Promise<AccountRow | undefined> {
    return this.#visibleTo(owner)
      .where('oauth_provider', '=', customAuthProvider)
      .where('oauth_id', '=', identity)
      .executeTakeFirst();
  }

  async findBootstrapAdmin(owner: Owner): Promise<AccountRow | undefined> {
    return this.#visibleTo(owner)
      .where('bootstrap', '=', 1)
      .where('system_role', '=', 'admin')
      .executeTakeFirst();
  }

  /** Returns the administrator who was created first. Disabled ones are left out unless there is no other. */
  async findFirstAdmin(owner: Owner): Promise<AccountRow | undefined> {
    return this.#visibleTo(owner)
      .where('system_role', '=', 'admin')
      .orderBy('disabled')
      .orderBy('created_at')
      .orderBy('id')
      .executeTakeFirst();
  }

  async list(
    owner: Owner,
    { limit, offset, q }: AccountPage,
  ): Promise<{ total: number; items: AccountRow[] }> {
    const pattern = q === undefined ? undefined : `%${q.replace(/[\\%_]/g, '\\$&')}%`;
    const matching =
      pattern === undefined ? sql<boolean>`1 = 1` : sql<boolean>`email like ${pattern} escape '\\'`;
    return this.#db.snapshot(async (frozen) => {
      const found = new AccountStore(frozen).#visibleTo(owner).where(matching);
      const page = found.orderBy('created_at').orderBy('id').limit(limit).offset(offset);
      const count = found.clearSelect().select((eb) => eb.fn.countAll<number>().as('total'));
      return { items: await page.execute(), total: (await count.executeTakeFirstOrThrow()).total };
    });
  }

  /** Returns false when the e-mail address, or the place of the bootstrap administrator, is taken. */
  async insert(
    owner: Owner,
    row: Insertable<UserTable>,
    beforeCommit: BeforeCommit = nothing,
  ): Promise<boolean> {
    requireOwner(owner);
    return this.#db.write(async (trx) => {
      const result = await trx
        .insertInto('users')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows !== 1n) return false;
      await beforeCommit(trx);
      return true;
    });
  }

  /** Returns the changed row, or undefined when it was deleted or its password was changed in the meantime. */
  async changePassword(owner: Owner, id: string, change: PasswordChange): Promise<AccountRow | undefined> {
    const { hash, needsSetup, email, expectedVersion, beforeCommit } = change;
    return this.#db.write(async (trx) => {
      const row = await this.#updatableBy(owner, trx, id)
        .set({
          password_hash: hash,
          needs_setup: needsSetup ? 1 : 0,
          token_version: expectedVersion + 1,
          ...(email !== undefined && { email }),
        })
        .where('token_version', '=', expectedVersion)
        .where(mayHavePassword)
        .returningAll()
        .executeTakeFirst();
      if (!row) return undefined;
      await endGrants(trx, id);
      await runBeforeCommit(trx, beforeCommit);
      return row;
    });
  }

  async changeEmail(
    owner: Owner,
    id: string,
    { email, beforeCommit }: { email: string; beforeCommit?: BeforeCommit },
  ): Promise<AccountRow | undefined> {
    return this.#db.write(async (trx) => {
      const row = await this.#updatableBy(owner, trx, id).set({ email }).returningAll().executeTakeFirst();
      if (row) await runBeforeCommit(trx, beforeCommit);
      return row;
    });
  }

  /** Disabling also raises the version, so that no old session returns when the account is enabled again. */
  async administer(
    owner: Owner,
    id: string,
    { disabled, role, beforeCommit }: AdminChange,
  ): Promise<AccountRow | 'last_admin' | undefined> {
    return this.#db.write(async (trx) => {
      const weakens = disabled === true || role === 'user';
      if (weakens && (await this.#isLastAdmin(trx, id))) return 'last_admin';
      const row = await this.#updatableBy(owner, trx, id)
        .set((eb) => ({
          ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
          ...(disabled === true && { token_version: eb('token_version', '+', 1) }),
          ...(role !== undefined && { system_role: role }),
          ...(role === 'user' && { bootstrap: null }),
        }))
        .returningAll()
        .executeTakeFirst();
      if (!row) return undefined;
      if (disabled) await endGrants(trx, id);
      await runBeforeCommit(trx, beforeCommit);
      return row;
    });
  }

  /** `alongside` runs in the same unit, after the account was deleted. */
  async delete(
    owner: Owner,
    id: string,
    alongside: (trx: WriteTransaction<AccountTables>) => Promise<void> = async () => undefined,
  ): Promise<AccountRow | 'last_admin' | undefined> {
    return this.#db.write(async (trx) => {
      if (await this.#isLastAdmin(trx, id)) return 'last_admin';
      const row = await trx
        .deleteFrom('users')
        .where('id', '=', id)
        .where(reachOf(owner))
        .returningAll()
        .executeTakeFirst();
      if (!row) return undefined;
      await trx.deleteFrom('oauth_grants').where('user_id', '=', id).execute();
      await trx.deleteFrom('access_tokens').where('user_id', '=', id).execute();
      await alongside(trx);
      return row;
    });
  }

  #visibleTo(owner: Owner) {
    return this.#db.read.selectFrom('users').selectAll().where(reachOf(owner));
  }

  #updatableBy(owner: Owner, trx: Transaction<AccountTables>, id: string) {
    return trx.updateTable('users').where('id', '=', id).where(reachOf(owner));
  }

  /** On Postgres the rows are locked, so that two administrators cannot remove each other at the same moment. */
  async #isLastAdmin(trx: Transaction<AccountTables>, id: string): Promise<boolean> {
    const enabled = trx
      .selectFrom('users')
      .select('id')
      .where('system_role', '=', 'admin')
      .where('disabled', '=', 0)
      .orderBy('id');
    const admins = await (this.#db.dialect === 'postgres' ? enabled.forUpdate() : enabled).execute();
    return admins.length === 1 && admins[0]?.id === id;
  }
}

const nothing: BeforeCommit = async () => undefined;

async function runBeforeCommit(
  trx: WriteTransaction<AccountTables>,
  beforeCommit: BeforeCommit = nothing,
): Promise<void> {
  await beforeCommit(trx);
}

/** Signs out the clients of an account. The grants go first: on Postgres that waits for an exchange, whose token is then seen. */
async function endGrants(trx: Transaction<AccountTables>, userId: string): Promise<void> {
  const ended = await trx.deleteFrom('oauth_grants').where('user_id', '=', userId).returning('id').execute();
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await trx.deleteFrom('access_tokens').where('id', 'in', ids).execute();
}

/** An account that the operator's own authentication lets in never gets another way in. */
const mayHavePassword = sql<boolean>`(oauth_provider is null or oauth_provider <> ${customAuthProvider})`;

/** Users reach only their own account. Administrators and the system reach all accounts. */
function reachOf(owner: Owner): RawBuilder<boolean> {
  const given = requireOwner(owner);
  return 'user' in given ? sql<boolean>`users.id = ${given.user}` : sql<boolean>`1 = 1`;
}

const accountOfSession = new Prepared(
  (db: Kysely<AccountTables>, { userId, sessionId }: { userId: string; sessionId: string }) =>
    db
      .selectFrom('users')
      .leftJoin('revoked_sessions', (join) => join.on('revoked_sessions.session_id', '=', sessionId))
      .select([
        'users.id',
        'users.email',
        'users.system_role',
        'users.needs_setup',
        'users.oauth_provider',
        'users.token_version',
        'users.disabled',
        'revoked_sessions.session_id as revoked',
      ])
      .where('users.id', '=', userId),
);
