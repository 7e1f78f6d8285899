import type { Task } from '@switchyard/contract/dispatch/task';
import { changedTask, isNewer, joinedChange, type TaskChange } from './task-change.ts';

/** More tasks than a person looks at. The one that was changed longest ago is forgotten first. */
const maxTasks = 2_000;

/**
 * The news of the latest frames. An answer of the API that was under way when a frame came is older than the frame, so
 * queries look here before they hand an answer on.
 */
export class RecentNews {
  readonly #changes = new Map<string, TaskChange>();

  note(changes: ReadonlyMap<string, TaskChange>): void {
    for (const [taskId, change] of changes) {
      const joined = joinedChange(this.#changes.get(taskId), change);
      this.#changes.delete(taskId);
      this.#changes.set(taskId, joined);
    }
    for (const oldest of this.#changes.keys()) {
      if (this.#changes.size <= maxTasks) return;
      this.#changes.delete(oldest);
    }
  }

  task<T extends Pick<Task, 'id' | 'status' | 'updatedAt'>>(task: T): T {
    const change = this.#changes.get(task.id);
    return change && isNewer(change, task) ? changedTask(task, change) : task;
  }

  of(taskId: string): TaskChange | undefined {
    return this.#changes.get(taskId);
  }

  clear(): void {
    this.#changes.clear();
  }
}

/** The one of this tab. */
export const recentNews = new RecentNews();
