import type { WorkerUsage, WorkflowUsageOf } from '../conversation/usage/usage-summaries.ts';
import type { TaskUsage, TaskUsageStore } from '../dispatch/tasks/task-usage-store.ts';
import { toIso } from '../lib/clock.ts';
import { type WorkerPrice, workerCost } from '../lib/worker-price.ts';
import type { ReadTogether } from '../platform/database/snapshot.ts';

const maxWorkflows = 100;

/** Returns how much of the pool the workflows of agents have used, for the summaries of conversations. */
export function workflowUsageOf(
  together: ReadTogether<Pick<TaskUsageStore, 'byName' | 'byDay' | 'byOwner' | 'byAgent' | 'total'>>,
  price: WorkerPrice | null,
): WorkflowUsageOf {
  const used = ({ tasks, seconds }: TaskUsage): WorkerUsage => {
    const worked = rounded(seconds);
    return { tasks, seconds: worked, cost: workerCost(price, worked).cost };
  };
  return async (userId, { fromMs, toMs, offsetMinutes }) => {
    const range = { userId, fromIso: toIso(fromMs), toIso: toIso(toMs) };
    const [named, days, owners, agents, total] = await together((store) =>
      Promise.all([
        store.byName(range, { limit: maxWorkflows }),
        store.byDay(range, offsetMinutes),
        store.byOwner(range),
        store.byAgent(range),
        store.total(range),
      ]),
    );
    const workflows = named.map(({ name, failed, ...usage }) => {
      const { tasks, seconds, cost } = used(usage as TaskUsage);
      return { workflow: name, tasks, failed_tasks: failed, task_seconds: seconds, cost };
    });
    return {
      workflows,
      byDay: new Map(days.map(({ day, ...usage }) => [day, used(usage)])),
      byUser: new Map(owners.map(({ owner, ...usage }) => [owner, used(usage)])),
      byAgent: new Map(agents.map(({ agent, ...usage }) => [agent ?? '', used(usage)])),
      total: used(total),
      currency: price?.currency ?? null,
    };
  };
}

/** Rounds to milliseconds, the precision of stored times. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
