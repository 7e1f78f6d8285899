import type { Insertable, Selectable } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { AccessTokenTable, AccountTables, OauthClientTable, OauthGrantTable } from '../tables.ts';

export type ClientRow = Selectable<OauthClientTable>;
export type GrantRow = Selectable<OauthGrantTable>;

type Trx = WriteTransaction<AccountTables>;
type SecretColumn = 'code_digest' | 'family_digest';
type RefreshDigests = { family_digest: string; refresh_digest: string };

/** Says within the unit what becomes of a grant; `isReplay` is true when its code or refresh token was used before. */
type Decide<Result> = (trx: Trx, found: { row: GrantRow; isReplay: boolean } | undefined) => Promise<Result>;

/** Registered clients, and what users allowed clients. A code or a token names its owner. */
export class GrantStore {
  readonly #db: Database<AccountTables>;

  constructor(db: Database<AccountTables>) {
    this.#db = db;
  }

  /** Returns false when there are as many clients as there may be. Those that have expired go first. */
  async insertClient(
    owner: Owner,
    row: Insertable<OauthClientTable>,
    { limit, now }: { limit: number; now: string },
  ): Promise<boolean> {
    requireOwner(owner);
    return this.#db.write(async (trx) => {
      await trx.deleteFrom('oauth_clients').where('expires_at', '<=', now).execute();
      const { count } = await trx
        .selectFrom('oauth_clients')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (count >= limit) return false;
      await trx.insertInto('oauth_clients').values(row).execute();
      return true;
    });
  }

  async findClient(owner: Owner, id: string, now: string): Promise<ClientRow | undefined> {
    requireOwner(owner);
    return this.#db.read
      .selectFrom('oauth_clients')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .executeTakeFirst();
  }

  /**
   * Returns false when the session has ended since the request was admitted, or the owner has too many tokens. Also deletes every
   * grant that has expired.
   */
  async insert(
    owner: { user: string },
    row: Insertable<OauthGrantTable>,
    options: { sessionVersion: number; maxTokens: number; now: string; alongside: AuditPart },
  ): Promise<'added' | 'session_over' | 'too_many'> {
    requireOwner(owner);
    return this.#db.write(async (trx) => {
      // The account first, as in every unit that ends grants, so that two units on Postgres do not wait for each other.
      const account = trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', owner.user)
        .where('token_version', '=', options.sessionVersion)
        .where('disabled', '=', 0);
      const isOpen = await (this.#db.dialect === 'postgres' ? account.forUpdate() : account).execute();
      if (isOpen.length === 0) return 'session_over';
      await forgetExpired(trx, options.now);
      const { count } = await trx
        .selectFrom('access_tokens')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', owner.user)
        .executeTakeFirstOrThrow();
      if (count >= options.maxTokens) return 'too_many';
      await trx.insertInto('oauth_grants').values(row).execute();
      await options.alongside(trx);
      return 'added';
    });
  }

  /** Exchanges a code, once, for the first refresh token. */
  exchange<Result>(
    owner: Owner,
    { codeDigest, ...first }: { codeDigest: string } & RefreshDigests,
    decide: Decide<Result>,
  ): Promise<Result> {
    return this.#take(
      owner,
      { column: 'code_digest', digest: codeDigest, expected: null, set: first },
      decide,
    );
  }

  /** Puts a new refresh token in the place of another, which counts only once. */
  refresh<Result>(
    owner: Owner,
    { family_digest, presented, next }: { family_digest: string; presented: string; next: string },
    decide: Decide<Result>,
  ): Promise<Result> {
    const set = { refresh_digest: next };
    const taking = { column: 'family_digest', digest: family_digest, expected: presented, set } as const;
    return this.#take(owner, taking, decide);
  }

  /** Writes the one access token of a grant, and until when grant and client are kept. */
  async writeToken(
    trx: Trx,
    row: Insertable<AccessTokenTable>,
    { grantEnd, clientId, clientEnd }: { grantEnd: string; clientId: string; clientEnd: string },
  ): Promise<void> {
    const { digest, scopes, expires_at } = row;
    await trx.updateTable('oauth_grants').set({ expires_at: grantEnd }).where('id', '=', row.id).execute();
    await trx
      .updateTable('oauth_clients')
      .set({ expires_at: clientEnd })
      .where('id', '=', clientId)
      .execute();
    await trx
      .insertInto('access_tokens')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ digest, scopes, expires_at }))
      .execute();
  }

  /** Ends a grant with its token. */
  async end(trx: Trx, id: string): Promise<void> {
    await trx.deleteFrom('oauth_grants').where('id', '=', id).execute();
    await trx.deleteFrom('access_tokens').where('id', '=', id).execute();
  }

  async #take<Result>(
    owner: Owner,
    taking: { column: SecretColumn; digest: string; expected: string | null; set: Partial<RefreshDigests> },
    decide: Decide<Result>,
  ): Promise<Result> {
    requireOwner(owner);
    const { column, digest, expected, set } = taking;
    return this.#db.write(async (trx) => {
      const row = await trx
        .updateTable('oauth_grants')
        .set(set)
        .where(column, '=', digest)
        .where('refresh_digest', expected === null ? 'is' : '=', expected)
        .returningAll()
        .executeTakeFirst();
      if (row) return decide(trx, { row, isReplay: false });
      const used = await grantBy(trx, column, digest);
      return decide(trx, used && { row: used, isReplay: true });
    });
  }

  async byFamily(owner: Owner, familyDigest: string): Promise<GrantRow | undefined> {
    requireOwner(owner);
    return grantBy(this.#db.read, 'family_digest', familyDigest);
  }
}

async function forgetExpired(trx: Trx, now: string): Promise<void> {
  const gone = await trx.deleteFrom('oauth_grants').where('expires_at', '<=', now).returning('id').execute();
  for (const { id } of gone) await trx.deleteFrom('access_tokens').where('id', '=', id).execute();
}

function grantBy(
  db: Pick<Trx, 'selectFrom'>,
  column: SecretColumn,
  digest: string,
): Promise<GrantRow | undefined> {
  return db.selectFrom('oauth_grants').selectAll().where(column, '=', digest).executeTakeFirst();
}
