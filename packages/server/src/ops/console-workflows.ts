import type { WorkflowUsageOf } from '../conversation/usage/usage-summaries.ts';
import type { TaskUsageStore } from '../dispatch/task-usage-store.ts';
import { toIso } from '../lib/clock.ts';

const mostWorkflows = 100;

/** What agents' workflows have taken of the pool, for the summaries of conversations. Workers have no price, so none is told. */
export function workflowUsageOf(store: Pick<TaskUsageStore, 'byName' | 'total'>): WorkflowUsageOf {
  return async (userId, { fromMs, toMs }) => {
    const range = { userId, fromIso: toIso(fromMs), toIso: toIso(toMs) };
    const [named, total] = await Promise.all([
      store.byName(range, { limit: mostWorkflows }),
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

/** To milliseconds, as times are kept. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
