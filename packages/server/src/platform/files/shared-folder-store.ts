import type { Database } from '../database/database.ts';

export interface SharedFolderTables {
  /** One row: the token of the folder that all replicas of this database use. */
  shared_folder: { only: number; token: string };
}

export class SharedFolderStore {
  readonly #database: Database<SharedFolderTables>;

  constructor(database: Database<SharedFolderTables>) {
    this.#database = database;
  }

  /** Returns null while no replica has used a shared folder. */
  async token(): Promise<string | null> {
    const row = await this.#database.read
      .selectFrom('shared_folder')
      .select('token')
      .where('only', '=', 1)
      .executeTakeFirst();
    return row?.token ?? null;
  }

  /** Stores the token unless there is one, and returns the one that is there. */
  async adopt(token: string): Promise<string> {
    return this.#database.write(async (trx) => {
      await trx
        .insertInto('shared_folder')
        .values({ only: 1, token })
        .onConflict((conflict) => conflict.column('only').doNothing())
        .execute();
      const row = await trx
        .selectFrom('shared_folder')
        .select('token')
        .where('only', '=', 1)
        .executeTakeFirstOrThrow();
      return row.token;
    });
  }
}
