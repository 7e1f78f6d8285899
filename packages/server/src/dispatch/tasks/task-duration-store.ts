import { type Kysely, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { DispatchTables } from '../tables.ts';

export interface Duration {
  instanceId: string | null;
  ms: number;
}

/** Fewer durations show too little about the next one. */
export const minSamples = 5;

/** The newest of a graph that are looked at, whichever instance ran them. */
const latestOfGraph = 500;
const latestOfInstance = 20;
/** Each of these has a record of its nodes, which may be long. */
const latestWithNodes = 20;

/** Reads how long completed tasks were on their workers. These numbers have no owner: a graph takes everyone the same time. */
export class TaskDurationStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** The newest completed tasks whose graph has the same shape. */
  async ofGraph(fingerprint: string): Promise<Duration[]> {
    return durationsIn((await ofGraph.run(this.#database.read, { fingerprint })).rows);
  }

  /** Returns the records of the nodes of the newest completed tasks whose graph has the same shape. */
  async nodesOfGraph(fingerprint: string): Promise<string[]> {
    const { rows } = await nodesOfGraph.run(this.#database.read, { fingerprint });
    return rows.flatMap(({ nodes }) => nodes ?? []);
  }

  /** The newest completed tasks of an instance, whatever their graph. */
  async ofInstance(instanceId: string): Promise<Duration[]> {
    return durationsIn((await ofInstance.run(this.#database.read, { instanceId })).rows);
  }
}

function durationsIn(
  rows: readonly { instanceId: string | null; startedAt: string | null; finishedAt: string | null }[],
): Duration[] {
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

/** Counts tasks before it looks at their attempts, so that attempts without a record do not lead it through them all. */
const nodesOfGraph = new Prepared((db: Kysely<DispatchTables>, { fingerprint }: { fingerprint: string }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('tasks')
        .select(['id', 'attempt'])
        .where('fingerprint', '=', fingerprint)
        .where(isCompleted)
        .orderBy('finishedAt', 'desc')
        .limit(sql.lit(latestWithNodes))
        .as('latest'),
    )
    .innerJoin('task_attempts', (join) =>
      join
        .onRef('task_attempts.taskId', '=', 'latest.id')
        .onRef('task_attempts.attempt', '=', 'latest.attempt'),
    )
    .select('task_attempts.nodes'),
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
