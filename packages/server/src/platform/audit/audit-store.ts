import type { Selectable } from 'kysely';
import { firstIdAt } from '../../lib/ids.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { tableExists } from '../database/table-exists.ts';
import type { AuditRecordTable, AuditTables } from './tables.ts';

export type AuditRow = Selectable<AuditRecordTable>;

export interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

export interface AuditPage extends AuditFilter {
  limit: number;
  /** The id of the last row of the page before. */
  before?: string | undefined;
}

/** Appends and reads. It has no way to change a record. */
export class AuditStore {
  readonly #database: Database<AuditTables>;

  constructor(database: Database<AuditTables>) {
    this.#database = database;
  }

  /** Returns whether the database has the table. A command beside a gateway of an older version finds none. */
  async exists(): Promise<boolean> {
    return tableExists(this.#database, 'audit_records');
  }

  async insert<Tables>(trx: WriteTransaction<Tables>, row: AuditRow): Promise<void> {
    await (trx as unknown as WriteTransaction<AuditTables>).insertInto('audit_records').values(row).execute();
  }

  async add(row: AuditRow): Promise<void> {
    await this.#database.write((trx) => this.insert(trx, row));
  }

  /** The newest first. */
  async page({ actor, action, target, fromMs, toMs, before, limit }: AuditPage): Promise<AuditRow[]> {
    let query = this.#database.read.selectFrom('audit_records').selectAll();
    if (actor !== undefined) query = query.where('actor', '=', actor);
    if (action !== undefined) query = query.where('action', '=', action);
    if (target !== undefined) query = query.where('target', '=', target);
    // An id begins with the time of its row, so a span of time is a range of each index.
    if (fromMs !== undefined) query = query.where('id', '>=', firstIdAt(fromMs));
    if (toMs !== undefined) query = query.where('id', '<', firstIdAt(toMs));
    if (before !== undefined) query = query.where('id', '<', before);
    return query.orderBy('id', 'desc').limit(limit).execute();
  }

  async countBefore(epochMs: number, limit: number): Promise<number> {
    const old = this.#database.read
      .selectFrom('audit_records')
      .select('id')
      .where('id', '<', firstIdAt(epochMs))
      .limit(limit)
      .as('old');
    const { count } = await this.#database.read
      .selectFrom(old)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async deleteBefore(epochMs: number): Promise<void> {
    await this.#database.write((trx) =>
      trx.deleteFrom('audit_records').where('id', '<', firstIdAt(epochMs)).execute(),
    );
  }
}
