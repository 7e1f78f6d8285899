import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';

export interface TaskRange {
  /** One user's id; null for all users. */
  userId: string | null;
  fromIso: string;
  /** The end of the range, which excludes this time. */
  toIso: string;
}

export interface TaskUsage {
  tasks: number;
  failed: number;
  seconds: number;
}

export interface NamedTaskUsage extends TaskUsage {
  /** The name of the tasks; tasks of a saved workflow have the workflow's name. */
  name: string | null;
}

export interface DayTaskUsage extends TaskUsage {
  /** Days since 1970 on a clock with the given offset. */
  day: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60 * 1000;

/** The worker time of tasks that agents asked for. Counts tasks that ended in a range, whatever their outcome. */
export class TaskUsageStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Usage by name, longest first. */
  async byName(range: TaskRange, { limit }: { limit: number }): Promise<NamedTaskUsage[]> {
    const seconds = this.#seconds();
    return this.#ended(range)
      .select('name')
      .select(this.#sums())
      .groupBy('name')
      .orderBy(seconds, 'desc')
      .orderBy('name')
      .limit(limit)
      .execute();
  }

  async byDay(range: TaskRange, offsetMinutes: number): Promise<DayTaskUsage[]> {
    const day = this.#day(offsetMinutes);
    return this.#ended(range).select(day.as('day')).select(this.#sums()).groupBy(day).execute();
  }

  async byOwner(range: TaskRange): Promise<(TaskUsage & { owner: string })[]> {
    return this.#ended(range).select('owner').select(this.#sums()).groupBy('owner').execute();
  }

  /** By the agent whose run asked for the task; null for tasks of earlier versions, which do not have it. */
  async byAgent(range: TaskRange): Promise<(TaskUsage & { agent: string | null })[]> {
    const agent = this.#agent();
    return this.#ended(range).select(agent.as('agent')).select(this.#sums()).groupBy(agent).execute();
  }

  async total(range: TaskRange): Promise<TaskUsage> {
    return this.#ended(range).select(this.#sums()).executeTakeFirstOrThrow();
  }

  #ended({ userId, fromIso, toIso }: TaskRange) {
    const tasks = this.#database.read
      .selectFrom('tasks')
      .where('conversation', 'is not', null)
      .where('finishedAt', '>=', fromIso)
      .where('finishedAt', '<', toIso);
    return userId === null ? tasks : tasks.where('owner', '=', userId);
  }

  #sums() {
    const failed = sql<number>`cast(coalesce(sum(case when ${sql.ref('status')} = 'failed' then 1 else 0 end), 0) as bigint)`;
    return [sql<number>`count(*)`.as('tasks'), failed.as('failed'), this.#seconds().as('seconds')] as const;
  }

  #agent(): RawBuilder<string | null> {
    const conversation = sql.ref('conversation');
    return this.#database.dialect === 'postgres'
      ? sql`${conversation}::json ->> 'agent'`
      : sql`${conversation} ->> '$.agent'`;
  }

  #day(offsetMinutes: number): RawBuilder<number> {
    const finished = sql.ref('finishedAt');
    const offset = sql.lit(offsetMinutes * minuteMs);
    const ms =
      this.#database.dialect === 'postgres'
        ? sql`extract(epoch from ${finished}::timestamptz) * 1000`
        : sql`(julianday(${finished}) - 2440587.5) * 86400000.0`;
    // Julian days are fractions, which may be a part of a millisecond too low.
    return sql<number>`(cast(round(${ms}) as bigint) + ${offset}) / ${sql.lit(dayMs)}`;
  }

  /** From the start of the last attempt to the end; zero for a task that never started. */
  #seconds(): RawBuilder<number> {
    const [from, to] = [sql.ref('startedAt'), sql.ref('finishedAt')];
    const each =
      this.#database.dialect === 'postgres'
        ? sql`extract(epoch from (${to}::timestamptz - ${from}::timestamptz))::double precision`
        : sql`(julianday(${to}) - julianday(${from})) * 86400.0`;
    return sql<number>`coalesce(sum(${each}), 0)`;
  }
}
