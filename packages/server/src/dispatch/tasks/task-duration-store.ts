import { type Kysely, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { DispatchTables } from '../tables.ts';

export interface Duration {
  instanceId: string | null;
  ms: number;
}

interface TimedRow {
  instanceId: string | null;
  startedAt: string | null;
  finishedAt: string | null;
}

/** The newest of a graph that are looked at, whichever instance ran them. */
const latestOfGraph = 500;
const latestOfInstance = 20;

/** How long completed tasks were on their workers. These numbers have no owner: a graph takes everyone the same time. */
export class TaskDurationStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** The newest completed tasks whose graph has the same shape. */
  async ofGraph(fingerprint: string): Promise<Duration[]> {
    return durationsIn((await ofGraph.run(this.#database.read, { fingerprint })).rows);
  }

  /** The newest completed tasks of an instance, whatever their graph. */
  async ofInstance(instanceId: string): Promise<Duration[]> {
    return durationsIn((await ofInstance.run(this.#database.read, { instanceId })).rows);
  }
}

function durationsIn(rows: readonly TimedRow[]): Duration[] {
  return rows.flatMap(({ instanceId, startedAt, finishedAt }) => {
    if (startedAt === null || finishedAt === null) return [];
    return { instanceId, ms: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) };
  });
}

/** Written out, since an index of completed tasks alone serves no statement that could ask for others. */
const isCompleted = sql<boolean>`${sql.ref('status')} = 'completed'`;

const ofGraph = new Prepared((db: Kysely<DispatchTables>, { fingerprint }: { fingerprint: string }) =>
  db
    .selectFrom('tasks')
    .select(['instanceId', 'startedAt', 'finishedAt'])
    .where('fingerprint', '=', fingerprint)
    .where(isCompleted)
    .orderBy('finishedAt', 'desc')
    .limit(sql.lit(latestOfGraph)),
);

const ofInstance = new Prepared((db: Kysely<DispatchTables>, { instanceId }: { instanceId: string }) =>
  db
    .selectFrom('tasks')
    .select(['instanceId', 'startedAt', 'finishedAt'])
    .where('instanceId', '=', instanceId)
    .where(isCompleted)
    .orderBy('id', 'desc')
    .limit(sql.lit(latestOfInstance)),
);
