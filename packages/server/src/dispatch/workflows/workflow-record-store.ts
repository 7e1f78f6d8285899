import { maxCountedTasks } from '@switchyard/contract/dispatch/tasks';
import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { decodableTypes } from '../../platform/pictures/picture-library.ts';
import type { DispatchTables } from '../tables.ts';

export interface WorkflowRecord {
  /** At most one more than are counted. */
  runs: number;
  /** The times that the latest runs spent on their workers. */
  durationsMs: number[];
  cover: { fileId: string; chosen: boolean } | null;
}

/** A median of more runs says little more, and a page of the console asks for 200 workflows. */
const latestRuns = 25;
/** The files among which a picture is looked for: a workflow that makes films has none. */
const latestFiles = 50;

/** Reads what the runs of saved workflows left behind. Callers have checked who may see the workflows. */
export class WorkflowRecordStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** One statement for all of them; the index of completed tasks answers it without their rows. */
  async of(workflowIds: readonly string[]): Promise<Map<string, WorkflowRecord>> {
    if (workflowIds.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('saved_workflows')
      .select((eb) => [
        'saved_workflows.id',
        eb
          .selectFrom((from) =>
            from
              .selectFrom('tasks')
              // A column of the index: with another one, each of the rows would be read.
              .select('tasks.workflowId')
              .whereRef('tasks.workflowId', '=', 'saved_workflows.id')
              .where(isCompleted)
              .limit(maxCountedTasks + 1)
              .as('counted'),
          )
          .select((count) => count.fn.countAll<number>().as('runs'))
          .as('runs'),
        eb
          .selectFrom((from) =>
            from
              .selectFrom('tasks')
              .select(['startedAt', 'finishedAt'])
              .whereRef('tasks.workflowId', '=', 'saved_workflows.id')
              .where(isCompleted)
              .orderBy('finishedAt', 'desc')
              .limit(latestRuns)
              .as('latest'),
          )
          .select(
            sql<
              string | null
            >`string_agg(${sql.ref('startedAt')} || ' ' || ${sql.ref('finishedAt')}, ',')`.as('times'),
          )
          .as('times'),
        eb
          .selectFrom('files')
          .select('files.id')
          .whereRef('files.id', '=', 'saved_workflows.coverFileId')
          .as('chosen'),
        eb
          .selectFrom((from) =>
            from
              .selectFrom('files')
              .select(['files.id', 'files.contentType', 'files.createdAt'])
              .whereRef('files.workflowId', '=', 'saved_workflows.id')
              .where(isOfOwner)
              .orderBy('files.createdAt', 'desc')
              .orderBy('files.id', 'desc')
              .limit(latestFiles)
              .as('made'),
          )
          .select('made.id')
          .where('made.contentType', 'in', [...decodableTypes])
          .orderBy('made.createdAt', 'desc')
          .orderBy('made.id', 'desc')
          .limit(1)
          .as('last'),
      ])
      .where('saved_workflows.id', 'in', [...workflowIds])
      .execute();
    return new Map(
      rows.map(({ id, runs, times, chosen, last }) => [
        id,
        { runs: Number(runs ?? 0), durationsMs: durationsIn(times ?? ''), cover: coverOf(chosen, last) },
      ]),
    );
  }
}

/**
 * Runners of a shared workflow own what they make. As a truth value, the comparison leads SQLite to no index: it would go
 * through all files of an owner for those of a workflow that made few.
 */
const isOfOwner = sql<SqlBool>`(${sql.ref('files.owner')} = ${sql.ref('saved_workflows.owner')}) is true`;

/** Written out, since an index of completed tasks alone serves no statement that could ask for others. */
const isCompleted = sql<SqlBool>`${sql.ref('tasks.status')} = 'completed'`;

function durationsIn(times: string): number[] {
  if (times === '') return [];
  return times.split(',').map((pair) => {
    const [startedAt = '', finishedAt = ''] = pair.split(' ');
    return Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  });
}

function coverOf(chosen: string | null, last: string | null): WorkflowRecord['cover'] {
  if (chosen !== null) return { fileId: chosen, chosen: true };
  return last === null ? null : { fileId: last, chosen: false };
}
