import { sql } from 'kysely';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { below, type ItemKey, isLive, userOf } from './item-rows-store.ts';
import type { AgentTables } from './tables.ts';

/** The vector of one indexed text of an item. */
export interface PartVector {
  part: number;
  vector: Uint8Array;
}

interface FoundVector extends ItemKey, PartVector {
  /** The value of the item, as JSON. */
  value: string;
}

export interface VectorPage {
  model: string;
  /** Labels joined with dots; empty for every namespace. */
  prefix: string;
  after: (ItemKey & { part: number }) | null;
  limit: number;
  now: string;
}

/** Replaces the vectors of an item, in the unit that replaces the item. */
export async function replaceVectors(
  trx: WriteTransaction<AgentTables>,
  userId: string,
  { namespace, key }: ItemKey,
  vectors: { model: string; parts: readonly PartVector[] } | null,
): Promise<void> {
  await deleteVectors(trx, userId, { namespace, key });
  if (vectors === null || vectors.parts.length === 0) return;
  const { model, parts } = vectors;
  const rows = parts.map(({ part, vector }) => ({ user_id: userId, namespace, key, part, model, vector }));
  await trx.insertInto('store_vectors').values(rows).execute();
}

export async function deleteVectors(
  trx: WriteTransaction<AgentTables>,
  userId: string,
  { namespace, key }: ItemKey,
): Promise<void> {
  await trx
    .deleteFrom('store_vectors')
    .where('user_id', '=', userId)
    .where('namespace', '=', namespace)
    .where('key', '=', key)
    .execute();
}

/** Called before the expired items are deleted. */
export async function deleteVectorsOfExpired(trx: WriteTransaction<AgentTables>, now: string): Promise<void> {
  await trx
    .deleteFrom('store_vectors')
    .where((where) =>
      where.exists(
        where
          .selectFrom('store_items')
          .select('store_items.key')
          .whereRef('store_items.user_id', '=', 'store_vectors.user_id')
          .whereRef('store_items.namespace', '=', 'store_vectors.namespace')
          .whereRef('store_items.key', '=', 'store_vectors.key')
          .where('store_items.expires_at', '<=', now),
      ),
    )
    .execute();
}

/** The vectors of items that have not expired. */
export class StoreVectorStore {
  readonly #database: Database<AgentTables>;

  constructor(database: Database<AgentTables>) {
    this.#database = database;
  }

  /** Returns vectors with the values of their items, ordered by namespace, key and part. */
  async page(owner: Owner, { model, prefix, after, limit, now }: VectorPage): Promise<FoundVector[]> {
    let query = this.#database.read
      .selectFrom('store_vectors')
      .innerJoin('store_items', (join) =>
        join
          .onRef('store_items.user_id', '=', 'store_vectors.user_id')
          .onRef('store_items.namespace', '=', 'store_vectors.namespace')
          .onRef('store_items.key', '=', 'store_vectors.key'),
      )
      .where('store_vectors.user_id', '=', userOf(owner))
      .where('store_vectors.model', '=', model)
      .where(isLive(now))
      .select([
        'store_vectors.namespace',
        'store_vectors.key',
        'store_vectors.part',
        'store_vectors.vector',
        'store_items.value',
      ]);
    if (prefix !== '') query = query.where(below(prefix, 'store_vectors.namespace'));
    if (after) {
      query = query.where(
        sql<boolean>`(store_vectors.namespace, store_vectors.key, store_vectors.part) > (${after.namespace}, ${after.key}, ${after.part})`,
      );
    }
    return query
      .orderBy('store_vectors.namespace')
      .orderBy('store_vectors.key')
      .orderBy('store_vectors.part')
      .limit(limit)
      .execute();
  }
}
