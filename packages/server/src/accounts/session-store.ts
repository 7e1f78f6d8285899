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

  /** Also deletes sessions that have expired since, so that the table holds only the sign-outs of one lifetime. */
  async revoke(owner: Owner, session: { id: string; expiresAt: string }, now: string): Promise<void> {
    requireOwner(owner);
    await this.#db.write(async (trx) => {
      await trx
        .insertInto('revoked_sessions')
        .values({ session_id: session.id, expires_at: session.expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await trx.deleteFrom('revoked_sessions').where('expires_at', '<', now).execute();
    });
  }
}
