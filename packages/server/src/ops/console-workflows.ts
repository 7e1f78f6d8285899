import type { WorkflowUsageOf } from '../conversation/usage/usage-summaries.ts';
import type { TaskUsageStore } from '../dispatch/tasks/task-usage-store.ts';
import { toIso } from '../lib/clock.ts';

const maxWorkflows = 100;

/**
 * How much of the pool the workflows of agents have used, for the summaries of conversations. Workers have no price, so
 * no cost is given.
 */
export function workflowUsageOf(store: Pick<TaskUsageStore, 'byName' | 'total'>): WorkflowUsageOf {
  return async (userId, { fromMs, toMs }) => {
    const range = { userId, fromIso: toIso(fromMs), toIso: toIso(toMs) };
    const [named, total] = await Promise.all([
      store.byName(range, { limit: maxWorkflows }),
      store.total(range),
    ]);
    const workflows = named.map(({ name, tasks, failed, seconds }) => ({
      workflow: name,
      tasks,
      failed_tasks: failed,
      task_seconds: rounded(seconds),
      cost: null,
    }));
    return { workflows, tasks: total.tasks, seconds: rounded(total.seconds) };
  };
}

/** Rounds to milliseconds, the precision of stored times. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
