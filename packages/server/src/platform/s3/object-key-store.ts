import type { Database } from '../database/database.ts';

export interface ObjectKeyTables {
  /** The object of the bucket that has the content with this hash. */
  stored_objects: { sha256: string; key: string; size: number; storedAtMs: number };
}

export interface ObjectKey {
  key: string;
  size: number;
}

/**
 * The rows that record which object of the bucket has which content. An object has its key before its hash is known, so
 * that no object is ever copied.
 */
export class ObjectKeyStore {
  readonly #database: Database<ObjectKeyTables>;

  constructor(database: Database<ObjectKeyTables>) {
    this.#database = database;
  }

  async find(sha256: string): Promise<ObjectKey | null> {
    const row = await this.#database.read
      .selectFrom('stored_objects')
      .select(['key', 'size'])
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Lets the content count as stored now. Returns false when another object has it by now. */
  async touch(sha256: string, { key, nowMs }: { key: string; nowMs: number }): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const changed = await trx
        .updateTable('stored_objects')
        .set({ storedAtMs: nowMs })
        .where('sha256', '=', sha256)
        .where('key', '=', key)
        .executeTakeFirst();
      return changed.numUpdatedRows === 1n;
    });
  }

  /**
   * Lets this object have the content, unless another one has it already. An object that was found `broken` is replaced.
   * Returns the key of the object that has it then.
   */
  async point(
    sha256: string,
    { key, size, nowMs, broken }: ObjectKey & { nowMs: number; broken: string | null },
  ): Promise<string> {
    return this.#database.write(async (trx) => {
      await trx
        .insertInto('stored_objects')
        .values({ sha256, key, size, storedAtMs: nowMs })
        .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ storedAtMs: nowMs }))
        .execute();
      if (broken !== null) {
        await trx
          .updateTable('stored_objects')
          .set({ key, size })
          .where('sha256', '=', sha256)
          .where('key', '=', broken)
          .execute();
      }
      const row = await trx
        .selectFrom('stored_objects')
        .select('key')
        .where('sha256', '=', sha256)
        .executeTakeFirstOrThrow();
      return row.key;
    });
  }

  /** Forgets content that was last stored before this time. Returns the key of its object. */
  async forget(sha256: string, beforeMs: number): Promise<string | null> {
    return this.#database.write(async (trx) => {
      const gone = await trx
        .deleteFrom('stored_objects')
        .where('sha256', '=', sha256)
        .where('storedAtMs', '<=', beforeMs)
        .returning('key')
        .executeTakeFirst();
      return gone?.key ?? null;
    });
  }

  /** Returns hashes in their order, from the one after `after`. */
  async page(after: string, limit: number): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('stored_objects')
      .select('sha256')
      .where('sha256', '>', after)
      .orderBy('sha256')
      .limit(limit)
      .execute();
    return rows.map(({ sha256 }) => sha256);
  }

  /** Returns those of these keys that have content. */
  async known(keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.#database.read
      .selectFrom('stored_objects')
      .select('key')
      .where('key', 'in', [...keys])
      .execute();
    return new Set(rows.map(({ key }) => key));
  }

  async isEmpty(): Promise<boolean> {
    return (await this.page('', 1)).length === 0;
  }

  /** Forgets all objects, which are in a bucket that is no longer used. */
  async clear(): Promise<void> {
    await this.#database.write((trx) => trx.deleteFrom('stored_objects').execute());
  }
}
