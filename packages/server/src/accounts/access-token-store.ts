import type { Insertable, Kysely, Selectable } from 'kysely';
import { type Owner, requireOwner } from '../lib/owner.ts';
import { type AuditPart, noRecord } from '../platform/audit/audit.ts';
import type { Database } from '../platform/database/database.ts';
import { Prepared } from '../platform/database/prepared.ts';
import type { AccessTokenTable, AccountTables, UserTable } from './tables.ts';

export type AccessTokenRow = Selectable<AccessTokenTable>;

/** The facts about an access token that each request with it reads. */
export interface TokenAccount
  extends Pick<
      Selectable<UserTable>,
      'id' | 'email' | 'system_role' | 'needs_setup' | 'oauth_provider' | 'disabled'
    >,
    Pick<AccessTokenRow, 'scopes' | 'expires_at' | 'last_used_at' | 'resource' | 'name'> {
  token_id: string;
}

export class AccessTokenStore {
  readonly #db: Database<AccountTables>;

  constructor(db: Database<AccountTables>) {
    this.#db = db;
  }

  /** The only read that authenticates a token. It takes no owner, because it finds out who the owner is. */
  byDigest(digest: string): Promise<TokenAccount | undefined> {
    return accountOfToken.first(this.#db.read, { digest });
  }

  async list(owner: { user: string }): Promise<AccessTokenRow[]> {
    requireOwner(owner);
    return (await tokensOfUser.run(this.#db.read, { userId: owner.user })).rows;
  }

  /** Returns false when the owner already has `limit` tokens. */
  async insert(
    owner: { user: string },
    row: Insertable<AccessTokenTable>,
    { limit, alongside }: { limit: number; alongside: AuditPart },
  ): Promise<boolean> {
    requireOwner(owner);
    return this.#db.write(async (trx) => {
      const { count } = await trx
        .selectFrom('access_tokens')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', owner.user)
        .executeTakeFirstOrThrow();
      if (count >= limit) return false;
      await trx.insertInto('access_tokens').values(row).execute();
      await alongside(trx);
      return true;
    });
  }

  async delete(owner: { user: string }, id: string, alongside: AuditPart = noRecord): Promise<boolean> {
    requireOwner(owner);
    return this.#db.write(async (trx) => {
      // Before its token, as everywhere, so that two units on Postgres do not wait for each other.
      await trx.deleteFrom('oauth_grants').where('id', '=', id).where('user_id', '=', owner.user).execute();
      const result = await trx
        .deleteFrom('access_tokens')
        .where('id', '=', id)
        .where('user_id', '=', owner.user)
        .executeTakeFirst();
      if (result.numDeletedRows !== 1n) return false;
      await alongside(trx);
      return true;
    });
  }

  /** Returns those of these tokens that are still there, whose account is enabled. It takes no owner, like `byDigest`. */
  async stillThere(tokenIds: readonly string[]): Promise<Set<string>> {
    if (tokenIds.length === 0) return new Set();
    const rows = await this.#db.read
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .select('access_tokens.id')
      .where('access_tokens.id', 'in', tokenIds)
      .where('users.disabled', '=', 0)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  async writeLastUsed(owner: Owner, uses: Iterable<[tokenId: string, at: string]>): Promise<void> {
    requireOwner(owner);
    await this.#db.write(async (trx) => {
      for (const [id, at] of uses) {
        await trx.updateTable('access_tokens').set({ last_used_at: at }).where('id', '=', id).execute();
      }
    });
  }
}

type Db = Kysely<AccountTables>;

const accountOfToken = new Prepared((db: Db, { digest }: { digest: string }) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select([
      'users.id',
      'users.email',
      'users.system_role',
      'users.needs_setup',
      'users.oauth_provider',
      'users.disabled',
      'access_tokens.id as token_id',
      'access_tokens.scopes',
      'access_tokens.expires_at',
      'access_tokens.last_used_at',
      'access_tokens.resource',
      'access_tokens.name',
    ])
    .where('access_tokens.digest', '=', digest),
);

const tokensOfUser = new Prepared((db: Db, { userId }: { userId: string }) =>
  db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id'),
);
