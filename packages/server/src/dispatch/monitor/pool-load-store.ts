import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';
import type { AttemptGroup } from './pool-load.ts';

/** Attempts of the last hour, added up by the database, so that a fast pool costs no more than a slow one. */
export class PoolLoadStore {
  readonly #read: Database<DispatchTables>['read'];

  constructor({ read }: Pick<Database<DispatchTables>, 'read'>) {
    this.#read = read;
  }

  async endedSince(from: string): Promise<AttemptGroup[]> {
    const rows = await this.#read
      .selectFrom('task_attempts')
      .where('endedAt', '>=', from)
      .select((select) => [
        'instanceId',
        minuteOf('startedAt').as('startMinute'),
        minuteOf('endedAt').as('endMinute'),
        select.fn.countAll<number>().as('attempts'),
        sql<number>`sum(case when ${sql.ref('outcome')} = 'completed' then 1 else 0 end)`.as('completed'),
        sql<number>`sum(${secondOf('startedAt')})`.as('startSeconds'),
        sql<number>`sum(${secondOf('endedAt')})`.as('endSeconds'),
      ])
      .groupBy(['instanceId', minuteOf('startedAt'), minuteOf('endedAt')])
      .execute();
    return rows.map(({ instanceId, startMinute, endMinute, ...sums }) => ({
      instanceId,
      startMinute,
      endMinute,
      attempts: Number(sums.attempts),
      completed: Number(sums.completed),
      startSeconds: Number(sums.startSeconds),
      endSeconds: Number(sums.endSeconds),
    }));
  }

  /** Attempts that go on; an instance has at most a few. */
  async running(): Promise<{ instanceId: string; startedAt: string }[]> {
    return this.#read
      .selectFrom('task_attempts')
      .where('endedAt', 'is', null)
      .select(['instanceId', 'startedAt'])
      .execute();
  }

  /** Returns when each instance last had a task; null when it never had one that is still kept. */
  async lastUsed(): Promise<Map<string, string | null>> {
    const rows = await this.#read
      .selectFrom('instances')
      .select((select) => [
        'instances.id',
        select
          .selectFrom('tasks')
          .select('tasks.updatedAt')
          .whereRef('tasks.instanceId', '=', 'instances.id')
          .where('tasks.status', '=', 'completed')
          .orderBy('tasks.id', 'desc')
          .limit(1)
          .as('lastUsedAt'),
      ])
      .execute();
    return new Map(rows.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
  }
}

type TimeColumn = 'startedAt' | 'endedAt';

function minuteOf(column: TimeColumn): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, 1, 16)`;
}

/** Times are text of one form, so the second of the minute stands in one place on both databases. */
function secondOf(column: TimeColumn): RawBuilder<number> {
  return sql<number>`cast(substr(${sql.ref(column)}, 18, 6) as double precision)`;
}
