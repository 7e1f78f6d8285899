import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables, QueuePauseRow } from '../tables.ts';

export type PauseKey = Pick<QueuePauseRow, 'scope' | 'target'>;

/** Pauses have no owner: who may set and lift which one is decided before. */
export class PauseStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async list(): Promise<QueuePauseRow[]> {
    return this.#database.read.selectFrom('queue_pauses').selectAll().execute();
  }

  /** A pause that exists keeps its time. Returns null when administrators have set as many as they may. */
  async put(
    row: QueuePauseRow,
    { max, alongside }: { max: number; alongside: AuditPart },
  ): Promise<QueuePauseRow | null> {
    return this.#database.write(async (trx) => {
      if (row.role === 'administrator') {
        const others = await trx
          .selectFrom('queue_pauses')
          .select('target')
          .where('role', '=', row.role)
          .where((where) => where.not(where.and({ scope: row.scope, target: row.target })))
          .limit(max)
          .execute();
        if (others.length >= max) return null;
      }
      const stored = await trx
        .insertInto('queue_pauses')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['scope', 'target', 'role'])
            .doUpdateSet({ userId: row.userId, reason: row.reason }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      await alongside(trx);
      return stored;
    });
  }

  /** Returns what was lifted. */
  async remove(
    { scope, target }: PauseKey,
    { roles, alongside }: { roles: readonly QueuePauseRow['role'][]; alongside: AuditPart },
  ): Promise<QueuePauseRow[]> {
    return this.#database.write(async (trx) => {
      const lifted = await trx
        .deleteFrom('queue_pauses')
        .where('scope', '=', scope)
        .where('target', '=', target)
        .where('role', 'in', roles)
        .returningAll()
        .execute();
      if (lifted.length > 0) await alongside(trx);
      return lifted;
    });
  }
}
