import type { TaskBatches } from '../batches/task-batches.ts';
import type { DispatchEvents } from '../dispatch-events.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Configuration } from '../instances/configuration.ts';
import type { TaskStore } from '../tasks/task-store.ts';

const tasksAtOnce = 500;

/** Reads from the rows what news and orders would have brought, in case they were lost. */
export class CatchUp {
  readonly #options;

  constructor(options: {
    tasks: Pick<TaskStore, 'rowsOf' | 'cancelRequestedIds'>;
    configuration: Pick<Configuration, 'refresh'>;
    fleet: Pick<Fleet, 'apply' | 'cancel' | 'isUnused'>;
    batches: Pick<TaskBatches, 'endWaits'>;
    events: Pick<DispatchEvents, 'watchedTasks' | 'tellWatchers'>;
    isDispatcher: () => boolean;
  }) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { configuration, fleet, isDispatcher } = this.#options;
    await configuration.refresh();
    await fleet.apply();
    if (isDispatcher() && !fleet.isUnused) await this.#stopCancelled();
    await this.#endWaits();
    await this.#options.batches.endWaits();
  }

  async #stopCancelled(): Promise<void> {
    const { tasks, fleet } = this.#options;
    for (const taskId of await tasks.cancelRequestedIds()) fleet.cancel(taskId);
  }

  /** Requests that wait for a task get its end. */
  async #endWaits(): Promise<void> {
    const { tasks, events } = this.#options;
    const watched = events.watchedTasks;
    for (let start = 0; start < watched.length; start += tasksAtOnce) {
      for (const task of await tasks.rowsOf(watched.slice(start, start + tasksAtOnce))) {
        if (task.phase === 'ended') events.tellWatchers({ type: 'task_ended', task });
      }
    }
  }
}
