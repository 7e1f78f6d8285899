import { join } from 'node:path';
import { DatabaseSync } from '@switchyard/server/platform/database/sqlite-library';

export interface AttemptRow {
  taskId: string;
  attempt: number;
  promptId: string;
  state: string;
  outcome: string | null;
}

/** Reads the rows in the database of a running gateway, over a connection of its own. */
export class DispatchRows {
  readonly tasks: { id: string; status: string; phase: string; attempt: number }[];
  readonly attempts: AttemptRow[];
  readonly keptCounts: Record<string, number>;
  readonly trueCounts: Record<string, number>;
  readonly keptUsage: unknown[];
  readonly trueUsage: unknown[];
  readonly filesInUse: number;

  constructor(home: string) {
    const database = new DatabaseSync(join(home, 'data', 'switchyard.db'), { readOnly: true });
    const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
    const counts = (sql: string): Record<string, number> =>
      Object.fromEntries(all<{ key: string; count: number }>(sql).map(({ key, count }) => [key, count]));
    try {
      this.tasks = all('select id, status, phase, attempt from tasks');
      this.attempts = all('select "taskId", attempt, "promptId", state, outcome from task_attempts');
      this.keptCounts = counts(
        `select owner || ' ' || status as key, count from task_counts where count <> 0`,
      );
      this.trueCounts = counts(
        `select owner || ' ' || status as key, count(*) as count from tasks where finishedAt is not null group by owner, status`,
      );
      this.keptUsage = all('select owner, bytes, count from file_usage where count <> 0');
      this.trueUsage = all(
        'select owner, sum(size) as bytes, count(*) as count from files group by owner order by owner',
      );
      this.filesInUse = all('select 1 from task_files').length;
    } finally {
      database.close();
    }
  }

  attemptsByTask(): Map<string, AttemptRow[]> {
    const byTask = new Map<string, AttemptRow[]>();
    for (const row of this.attempts) byTask.set(row.taskId, [...(byTask.get(row.taskId) ?? []), row]);
    return byTask;
  }
}
