import type { Database } from '../../platform/database/database.ts';
import { isRemovable } from '../files/kept-file-store.ts';
import type { DispatchTables } from '../tables.ts';

export interface FileUsage {
  owner: string;
  bytes: number;
  count: number;
}

/** Counts what the area stores, and how much of it is old. Every count stops at a limit. */
export class UpkeepStore {
  readonly #read: Database<DispatchTables>['read'];

  constructor({ read }: Pick<Database<DispatchTables>, 'read'>) {
    this.#read = read;
  }

  /** The kept usage of all users together; no file is looked at. */
  async totalUsage(): Promise<{ bytes: number; count: number }> {
    const { bytes, count } = await this.#read
      .selectFrom('file_usage')
      .select(({ fn }) => [
        fn.sum<number | null>('bytes').as('bytes'),
        fn.sum<number | null>('count').as('count'),
      ])
      .executeTakeFirstOrThrow();
    return { bytes: Number(bytes ?? 0), count: Number(count ?? 0) };
  }

  async topUsers(limit: number): Promise<FileUsage[]> {
    const rows = await this.#read
      .selectFrom('file_usage')
      .select(({ fn }) => ['owner', fn.sum<number>('bytes').as('bytes'), fn.sum<number>('count').as('count')])
      .groupBy('owner')
      .having(({ fn }) => fn.sum('count'), '>', 0)
      .orderBy('bytes', 'desc')
      .orderBy('owner')
      .limit(limit)
      .execute();
    return rows.map(({ owner, bytes, count }) => ({ owner, bytes: Number(bytes), count: Number(count) }));
  }

  /** Files that no unfinished task needs, as the sweep sees them. */
  async filesBefore(createdBefore: string, limit: number): Promise<{ bytes: number; count: number }> {
    const old = this.#read
      .selectFrom('files')
      .select('size')
      .where('createdAt', '<', createdBefore)
      .where(isRemovable)
      .orderBy('createdAt')
      .limit(limit)
      .as('old');
    const { bytes, count } = await this.#read
      .selectFrom(old)
      .select(({ fn }) => [fn.sum<number | null>('size').as('bytes'), fn.countAll<number>().as('count')])
      .executeTakeFirstOrThrow();
    return { bytes: Number(bytes ?? 0), count: Number(count) };
  }

  async deliveriesBefore(createdBefore: string, limit: number): Promise<number> {
    const old = this.#read
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('createdAt', '<', createdBefore)
      .limit(limit)
      .as('old');
    const { count } = await this.#read
      .selectFrom(old)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async instanceEventsUntil(lastId: string, limit: number): Promise<number> {
    const old = this.#read
      .selectFrom('instance_events')
      .select('id')
      .where('id', '<=', lastId)
      .limit(limit)
      .as('old');
    const { count } = await this.#read
      .selectFrom(old)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}
