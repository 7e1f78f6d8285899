import { sql } from 'kysely';
import type { AccountTables } from '../../accounts/tables.ts';
import type { DispatchTables } from '../../dispatch/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { tableExists } from '../../platform/database/table-exists.ts';

const contentsAtOnce = 1_000;

/** Reads what a backup has to know of a database that holds all tables of a gateway, in a copy that does not change. */
export class BackupRowsStore {
  readonly #database: Database<AccountTables & DispatchTables>;

  constructor(database: Database<unknown>) {
    this.#database = database.withTables();
  }

  /** The content that rows refer to, each once. */
  async *contents(): AsyncGenerator<{ sha256: string; bytes: number }> {
    if (!(await tableExists(this.#database, 'files'))) return;
    for (let after = ''; ; ) {
      const rows = await this.#database.read
        .selectFrom('files')
        .select(({ fn }) => ['sha256', fn.max('size').as('bytes')])
        .where('sha256', '>', after)
        .groupBy('sha256')
        .orderBy('sha256')
        .limit(contentsAtOnce)
        .execute();
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      after = last.sha256;
    }
  }

  /**
   * Ends what would still be valid: sessions of everybody, leases of processes that have ended, and what is known of the folder and
   * of the bucket of the gateway before.
   */
  async forgetTheLiving(): Promise<void> {
    const database = this.#database;
    await database.write(async (trx) => {
      await trx
        .updateTable('users')
        .set((row) => ({ token_version: row('token_version', '+', 1) }))
        .execute();
    });
    for (const table of ['leases', 'shared_folder', 'stored_objects'])
      if (await tableExists(database, table))
        await database.write((trx) => sql`delete from ${sql.table(table)}`.execute(trx));
  }

  async accounts(): Promise<Map<string, { email: string; disabled: number }>> {
    if (!(await tableExists(this.#database, 'users'))) return new Map();
    const rows = await this.#database.read.selectFrom('users').select(['id', 'email', 'disabled']).execute();
    return new Map(rows.map(({ id, ...account }) => [id, account]));
  }

  async tokens(): Promise<Map<string, { userId: string; name: string }>> {
    if (!(await tableExists(this.#database, 'access_tokens'))) return new Map();
    const rows = await this.#database.read
      .selectFrom('access_tokens')
      .select(['id', 'user_id as userId', 'name'])
      .execute();
    return new Map(rows.map(({ id, ...token }) => [id, token]));
  }
}
