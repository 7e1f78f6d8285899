import { type Insertable, sql } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { lockName } from '../../platform/database/dialect.ts';
import { below, type ItemKey, isLive, userOf } from './item-rows-store.ts';
import {
  deleteVectors,
  deleteVectorsOfExpired,
  type PartVector,
  replaceVectors,
} from './store-vector-store.ts';
import type { AgentTables, StoreItemRow, StoreItemTable } from './tables.ts';

/** The item after which a page of a user's items begins. */
export type ItemPlace = ItemKey | null;

/** Runs inside the unit that removes a user's data. */
export async function forgetItemsOfUser(trx: WriteTransaction<AgentTables>, userId: string): Promise<void> {
  await trx.deleteFrom('store_items').where('user_id', '=', userId).execute();
  await trx.deleteFrom('store_vectors').where('user_id', '=', userId).execute();
}

/** The vectors of an item, and the model that made them. */
export interface ItemVectors {
  model: string;
  parts: readonly PartVector[];
}

/** Items of the key-value store as rows. An expired item counts as missing, whether it was swept already or not. */
export class StoreItemStore {
  readonly #database: Database<AgentTables>;

  constructor(database: Database<AgentTables>) {
    this.#database = database;
  }

  async get(owner: Owner, { namespace, key }: ItemKey, now: string): Promise<StoreItemRow | undefined> {
    return this.#live(owner, now)
      .selectAll()
      .where('namespace', '=', namespace)
      .where('key', '=', key)
      .executeTakeFirst();
  }

  /** Replaces the item and keeps the time at which it was created. Throws `store_full` when a new item would exceed the limit. */
  async put(
    owner: Owner,
    item: Omit<Insertable<StoreItemTable>, 'user_id'>,
    { max, vectors = null }: { max: number; vectors?: ItemVectors | null },
  ): Promise<void> {
    const user_id = userOf(owner);
    const { value, updated_at, expires_at, ttl_minutes } = item;
    await this.#database.write(async (trx) => {
      const changed = await trx
        .updateTable('store_items')
        .set({ value, updated_at, expires_at, ttl_minutes })
        .where('user_id', '=', user_id)
        .where('namespace', '=', item.namespace)
        .where('key', '=', item.key)
        .executeTakeFirst();
      if (changed.numUpdatedRows > 0n) return replaceVectors(trx, user_id, item, vectors);
      // Items that arrive at the same time must not exceed the limit together.
      await lockName(trx, {
        dialect: this.#database.dialect,
        name: `store of ${user_id}`,
        isShared: false,
      });
      const { count } = await trx
        .selectFrom('store_items')
        .where('user_id', '=', user_id)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) throw new AppError('store_full');
      await trx
        .insertInto('store_items')
        .values({ ...item, user_id })
        .onConflict((conflict) =>
          conflict
            .columns(['user_id', 'namespace', 'key'])
            .doUpdateSet({ value, updated_at, expires_at, ttl_minutes }),
        )
        .execute();
      // The row of the item is locked by now, so two writers replace its vectors one after the other.
      await replaceVectors(trx, user_id, item, vectors);
    });
  }

  async setExpiry(owner: Owner, { namespace, key }: ItemKey, expiresAt: string): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .updateTable('store_items')
        .set({ expires_at: expiresAt })
        .where('user_id', '=', userOf(owner))
        .where('namespace', '=', namespace)
        .where('key', '=', key)
        .execute(),
    );
  }

  async delete(owner: Owner, { namespace, key }: ItemKey): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx
        .deleteFrom('store_items')
        .where('user_id', '=', userOf(owner))
        .where('namespace', '=', namespace)
        .where('key', '=', key)
        .execute();
      await deleteVectors(trx, userOf(owner), { namespace, key });
    });
  }

  /** Ordered by namespace and key. An empty prefix stands for every namespace. */
  async page(
    owner: Owner,
    { prefix, after, limit, now }: { prefix: string; after: ItemPlace; limit: number; now: string },
  ): Promise<StoreItemRow[]> {
    let query = this.#live(owner, now).selectAll();
    if (prefix !== '') query = query.where(below(prefix, 'namespace'));
    if (after) {
      query = query.where(
        sql<boolean>`(${sql.ref('namespace')}, ${sql.ref('key')}) > (${after.namespace}, ${after.key})`,
      );
    }
    return query.orderBy('namespace').orderBy('key').limit(limit).execute();
  }

  /** Returns every namespace that has items, in order. */
  async namespaces(owner: Owner, now: string): Promise<string[]> {
    const rows = await this.#live(owner, now).select('namespace').distinct().orderBy('namespace').execute();
    return rows.map(({ namespace }) => namespace);
  }

  async deleteExpired(now: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await deleteVectorsOfExpired(trx, now);
      await trx.deleteFrom('store_items').where('expires_at', '<=', now).execute();
    });
  }

  #live(owner: Owner, now: string) {
    return this.#database.read
      .selectFrom('store_items')
      .where('user_id', '=', userOf(owner))
      .where(isLive(now));
  }
}
