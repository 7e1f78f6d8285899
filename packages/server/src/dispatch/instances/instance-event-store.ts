import type { Selectable } from 'kysely';
import { firstIdAt } from '../../lib/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables, InstanceEventTable } from '../tables.ts';

export type InstanceEventRow = Selectable<InstanceEventTable>;

/** Events have no owner: every user may read them, and the view leaves out what belongs to another user. */
export class InstanceEventStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async insert(rows: readonly InstanceEventRow[]): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .insertInto('instance_events')
        .values([...rows])
        .execute(),
    );
  }

  /** The newest first. */
  async page(
    instanceId: string,
    { limit, before }: { limit: number; before: string | undefined },
  ): Promise<InstanceEventRow[]> {
    return this.#database.read
      .selectFrom('instance_events')
      .selectAll()
      .where('instanceId', '=', instanceId)
      .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  /** Keeps the newest events of one instance. */
  async trim(instanceId: string, keep: number): Promise<void> {
    const [oldest] = await this.#database.read
      .selectFrom('instance_events')
      .select('id')
      .where('instanceId', '=', instanceId)
      .orderBy('id', 'desc')
      .offset(keep)
      .limit(1)
      .execute();
    if (!oldest) return;
    await this.#database.write((trx) =>
      trx
        .deleteFrom('instance_events')
        .where('instanceId', '=', instanceId)
        .where('id', '<=', oldest.id)
        .execute(),
    );
  }

  /** Deletes events older than a moment, and of the younger ones all but the newest `keep`. */
  async forget({ beforeMs, keep }: { beforeMs: number; keep: number }): Promise<void> {
    const [surplus] = await this.#database.read
      .selectFrom('instance_events')
      .select('id')
      .orderBy('id', 'desc')
      .offset(keep)
      .limit(1)
      .execute();
    const tooOld = firstIdAt(beforeMs);
    const last = surplus && surplus.id > tooOld ? surplus.id : tooOld;
    await this.#database.write((trx) => trx.deleteFrom('instance_events').where('id', '<=', last).execute());
  }
}
