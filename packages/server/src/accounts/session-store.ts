import type { Owner } from '../lib/owner.ts';
import { requireOwner } from '../lib/owner.ts';
import type { Database } from '../platform/database/database.ts';
import type { AccountTables } from './tables.ts';

/** The sessions that were signed out before they expired. */
export class SessionStore {
  readonly #db: Database<AccountTables>;

  constructor(db: Database<AccountTables>) {
    this.#db = db;
  }

  /** Returns those of these sessions that were signed out. It takes no owner, because it authenticates. */
  async revoked(sessionIds: readonly string[]): Promise<Set<string>> {
    if (sessionIds.length === 0) return new Set();
    const rows = await this.#db.read
      .selectFrom('revoked_sessions')
      .select('session_id')
      .where('session_id', 'in', sessionIds)
      .execute();
    return new Set(rows.map(({ session_id }) => session_id));
  }

  /** The version of the sessions of each enabled account among these. It takes no owner, because it authenticates. */
  async versions(userIds: readonly string[]): Promise<Map<string, number>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#db.read
      .selectFrom('users')
      .select(['id', 'token_version'])
      .where('id', 'in', userIds)
      .where('disabled', '=', 0)
      .execute();
    return new Map(rows.map(({ id, token_version }) => [id, token_version]));
  }

  /**
   * Returns false when it was revoked before. Also deletes sessions that have expired since, so that the table holds only the
   * sign-outs of one lifetime.
   */
  async revoke(owner: Owner, session: { id: string; expiresAt: string }, now: string): Promise<boolean> {
    requireOwner(owner);
    return this.#db.write(async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('revoked_sessions')
        .values({ session_id: session.id, expires_at: session.expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      await trx.deleteFrom('revoked_sessions').where('expires_at', '<', now).execute();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    });
  }
}
