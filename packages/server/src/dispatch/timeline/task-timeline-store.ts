import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { DispatchTables } from '../tables.ts';
import { visibleTo } from '../tasks/task-list-store.ts';
import type { TimedTask } from './task-spans.ts';

export interface TaskWindow {
  taskIds: readonly string[];
  /** Tasks that ended before this time are left out. */
  from: string | null;
  /** Tasks that were created after this time are left out. */
  until: string | null;
  /** Tasks that have not changed since this time are left out. */
  changedSince: string | null;
}

/** Reads the tasks of a timeline. */
export class TaskTimelineStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** In the order of their creation. */
  async tasks(owner: Owner, { taskIds, from, until, changedSince }: TaskWindow): Promise<TimedTask[]> {
    const { read, dialect } = this.#database;
    let tasks = visibleTo(owner, read.selectFrom('tasks'))
      .select(['tasks.id', 'tasks.name', 'tasks.status', 'tasks.phase', 'tasks.error'])
      .select(['tasks.createdAt', 'tasks.finishedAt'])
      .where(isOneOf(dialect, { column: 'tasks.id', values: taskIds }));
    if (until !== null) tasks = tasks.where('tasks.createdAt', '<=', until);
    if (changedSince !== null) tasks = tasks.where('tasks.updatedAt', '>=', changedSince);
    if (from !== null) {
      tasks = tasks.where(({ eb, or }) =>
        or([eb('tasks.finishedAt', 'is', null), eb('tasks.finishedAt', '>=', from)]),
      );
    }
    return tasks.orderBy('tasks.createdAt').orderBy('tasks.id').execute();
  }
}
