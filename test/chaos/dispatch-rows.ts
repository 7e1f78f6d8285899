import { join } from 'node:path';
import type { Database } from '@switchyard/server/platform/database/database';
import { DatabaseSync } from '@switchyard/server/platform/database/sqlite/sqlite-library';
import { sql } from 'kysely';

export interface AttemptRow {
  taskId: string;
  attempt: number;
  promptId: string;
  state: string;
  outcome: string | null;
}

interface Rows {
  tasks: {
    id: string;
    owner: string;
    status: string;
    phase: string;
    attempt: number;
    error: string | null;
  }[];
  attempts: AttemptRow[];
  keptCounts: { key: string; count: number }[];
  trueCounts: { key: string; count: number }[];
  keptUsage: unknown[];
  trueUsage: unknown[];
  filesInUse: unknown[];
}

const queries: Record<keyof Rows, string> = {
  tasks: 'select id, owner, status, phase, attempt, error from tasks',
  attempts: 'select "taskId", attempt, "promptId", state, outcome from task_attempts',
  // A count is spread over several rows, each of which may be negative.
  keptCounts: `select owner || ' ' || status as key, cast(sum(count) as integer) as count from task_counts
    group by owner, status having sum(count) <> 0`,
  trueCounts: `select owner || ' ' || status as key, count(*) as count from tasks where "finishedAt" is not null group by owner, status`,
  keptUsage: `select owner, cast(sum(bytes) as bigint) as bytes, cast(sum(count) as bigint) as count from file_usage
    group by owner having sum(count) <> 0 order by owner`,
  trueUsage:
    'select owner, cast(sum(size) as bigint) as bytes, count(*) as count from files group by owner order by owner',
  filesInUse: 'select 1 from task_files',
};
const names = Object.keys(queries) as (keyof Rows)[];

/** Reads the rows in the database of running gateways, over a connection of its own. */
export class DispatchRows {
  readonly tasks: Rows['tasks'];
  readonly attempts: AttemptRow[];
  readonly keptCounts: Record<string, number>;
  readonly trueCounts: Record<string, number>;
  readonly keptUsage: unknown[];
  readonly trueUsage: unknown[];
  readonly filesInUse: number;

  private constructor(rows: Rows) {
    this.tasks = rows.tasks;
    this.attempts = rows.attempts;
    this.keptCounts = byKey(rows.keptCounts);
    this.trueCounts = byKey(rows.trueCounts);
    this.keptUsage = rows.keptUsage;
    this.trueUsage = rows.trueUsage;
    this.filesInUse = rows.filesInUse.length;
  }

  /** The SQLite database of a data home. */
  static ofHome(home: string): DispatchRows {
    const database = new DatabaseSync(join(home, 'data', 'switchyard.db'), { readOnly: true });
    try {
      const read = names.map((name) => [name, database.prepare(queries[name]).all()] as const);
      return new DispatchRows(Object.fromEntries(read) as unknown as Rows);
    } finally {
      database.close();
    }
  }

  /** A database of several replicas; all rows are those of one moment. */
  static async ofDatabase(database: Database<unknown>): Promise<DispatchRows> {
    return database.snapshot(async (frozen) => {
      const read: [string, unknown][] = [];
      for (const name of names) read.push([name, (await sql.raw(queries[name]).execute(frozen.read)).rows]);
      return new DispatchRows(Object.fromEntries(read) as unknown as Rows);
    });
  }

  attemptsByTask(): Map<string, AttemptRow[]> {
    const byTask = new Map<string, AttemptRow[]>();
    for (const row of this.attempts) byTask.set(row.taskId, [...(byTask.get(row.taskId) ?? []), row]);
    return byTask;
  }
}

function byKey(counts: Rows['keptCounts']): Record<string, number> {
  return Object.fromEntries(counts.map(({ key, count }) => [key, count]));
}
