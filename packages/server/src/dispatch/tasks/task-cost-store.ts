import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';

export interface TimedTask {
  startedAt: string | null;
  finishedAt: string | null;
}

export interface TaskOfRun extends TimedTask {
  id: string;
  conversation: string;
}

/** Only this many of a user's latest tasks are looked at: older ones show little, and no index leads to them. */
const latest = 2_000;

/** Reads how long a user's tasks took. */
export class TaskCostStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** The latest completed tasks whose graph has the same shape. */
  async completedLike(
    userId: string,
    { fingerprint, limit }: { fingerprint: string; limit: number },
  ): Promise<TimedTask[]> {
    return this.#database.read
      .selectFrom((from) =>
        from
          .selectFrom('tasks')
          .select(['id', 'fingerprint', 'startedAt', 'finishedAt'])
          .where('owner', '=', userId)
          .where('status', '=', 'completed')
          .orderBy('id', 'desc')
          .limit(latest)
          .as('completed'),
      )
      .select(['startedAt', 'finishedAt'])
      .where('fingerprint', '=', fingerprint)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  /** The tasks that an agent's run has asked for. */
  async ofRun(userId: string, runId: string): Promise<TaskOfRun[]> {
    const rows = await this.#database.read
      .selectFrom((from) =>
        from
          .selectFrom('tasks')
          .select(['id', 'conversation', 'startedAt', 'finishedAt'])
          .where('owner', '=', userId)
          .orderBy('id', 'desc')
          .limit(latest)
          .as('recent'),
      )
      .select(['id', 'conversation', 'startedAt', 'finishedAt'])
      .where('conversation', 'like', `%${JSON.stringify(runId)}%`)
      .execute();
    return rows as TaskOfRun[];
  }
}
