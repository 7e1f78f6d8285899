import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';
import type { ToldNodes } from '../worker-client/worker-client.ts';

/**
 * The reports of workers about their nodes, for each instance, unchanged. A worker that is away still has its row, so
 * the offers of the pool stay the same while workers come and go.
 */
export class ObjectInfoStore {
  readonly #database: Database<DispatchTables>;
  readonly #writing = new Set<Promise<unknown>>();

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns whether it differs from the worker's report before. */
  async learn(instanceId: string, told: ToldNodes): Promise<boolean> {
    const writing = this.#put(instanceId, told);
    const settled = writing.catch(() => undefined); // The caller gets the error; a reader finds the older row.
    this.#writing.add(settled);
    try {
      return await writing;
    } finally {
      this.#writing.delete(settled);
    }
  }

  /** The instances that are in use, in the order of their ids. What was learned before the call is in it. */
  async hashes(): Promise<{ instanceId: string; hash: string }[]> {
    await Promise.all(this.#writing);
    return this.#database.read
      .selectFrom('instance_object_infos')
      .innerJoin('instances', 'instances.id', 'instance_object_infos.instanceId')
      .select(['instance_object_infos.instanceId', 'instance_object_infos.hash'])
      .where('instances.removed', '=', 0)
      .where('instances.enabled', '=', 1)
      .orderBy('instance_object_infos.instanceId')
      .execute();
  }

  /** Megabytes of text on real workers. Returns undefined when the worker has reported something else since. */
  async toldBy(instanceId: string, hash: string): Promise<ToldNodes | undefined> {
    const row = await this.#database.read
      .selectFrom('instance_object_infos')
      .select(['objectInfo', 'embeddings'])
      .where('instanceId', '=', instanceId)
      .where('hash', '=', hash)
      .executeTakeFirst();
    return row && { ...row, embeddings: JSON.parse(row.embeddings) as string[] };
  }

  async #put(instanceId: string, told: ToldNodes): Promise<boolean> {
    const { objectInfo } = told;
    const embeddings = JSON.stringify(told.embeddings);
    const hash = createHash('sha256').update(objectInfo).update(embeddings).digest('base64url');
    const known = await this.#database.read
      .selectFrom('instance_object_infos')
      .select('hash')
      .where('instanceId', '=', instanceId)
      .executeTakeFirst();
    if (known?.hash === hash) return false;
    await this.#database.write((trx) =>
      trx
        .insertInto('instance_object_infos')
        .values({ instanceId, hash, objectInfo, embeddings })
        .onConflict((conflict) => conflict.column('instanceId').doUpdateSet({ hash, objectInfo, embeddings }))
        .execute(),
    );
    return true;
  }
}
