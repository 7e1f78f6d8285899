import { type Task, type TaskStatusFilter, taskStatusFilters } from '@switchyard/contract/dispatch/task';
import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { shellWord } from '@switchyard/contract/shell-word';

/** The times that a list goes back, as the address names them. */
export const periods = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type Period = keyof typeof periods;

/** The filter of the list. All of it stands in the address. */
export interface TaskListFilter {
  status: TaskStatusFilter | null;
  q: string;
  instance: string;
  tag: string;
  owner: string;
  period: Period | null;
}

/** Reads the filter from the address; what makes no sense there is left out. */
export function readFilter(search: string): TaskListFilter {
  const query = new URLSearchParams(search);
  const status = taskStatusFilters.find((each) => each === query.get('status')) ?? null;
  const period = query.get('period');
  return {
    status,
    q: query.get('q') ?? '',
    instance: query.get('instance') ?? '',
    tag: query.get('tag') ?? '',
    owner: query.get('owner') ?? '',
    period: period !== null && period in periods ? (period as Period) : null,
  };
}

/** The filter as the query of an address. */
export function searchOf(filter: TaskListFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value);
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
}

/** Returns whether anything but the tab narrows the list. */
export function isNarrowed(filter: TaskListFilter): boolean {
  return Boolean(filter.q || filter.instance || filter.tag || filter.owner || filter.period);
}

const periodStepMs = 60_000;

/** The filter as the API takes it. A period begins at a full minute, so that the same filter is the same question. */
export function queryOf(filter: TaskListFilter, nowMs: number): Omit<TaskListQuery, 'limit' | 'offset'> {
  const { status, q, instance, tag, owner, period } = filter;
  const from = period === null ? null : Math.floor((nowMs - periods[period]) / periodStepMs) * periodStepMs;
  return {
    ...(status !== null && { status }),
    ...(q && { q }),
    ...(instance && { instanceId: instance }),
    ...(tag && { tag }),
    ...(owner && { owner }),
    ...(from !== null && { since: new Date(from).toISOString() }),
  };
}

/**
 * Returns whether the task belongs under the tab. A cancelled task counts as failed too, as in the counts of the
 * gateway.
 */
export function hasStatus(task: Pick<Task, 'status' | 'error'>, wanted: TaskListFilter['status']): boolean {
  if (wanted === 'cancelled') return task.status === 'failed' && task.error?.code === 'cancelled';
  return wanted === null || task.status === wanted;
}

/** Returns whether a task that has just appeared belongs in the list. */
export function fits(task: Task, filter: TaskListFilter): boolean {
  const { status, q, instance, tag, owner } = filter;
  const wanted = q.toLowerCase();
  return (
    hasStatus(task, status) &&
    (!q || (task.name ?? '').toLowerCase().includes(wanted) || task.id.startsWith(wanted)) &&
    (!instance || task.instanceId === instance) &&
    (!tag || task.tags.includes(tag)) &&
    (!owner || task.owner === owner)
  );
}

/** The filter as options of the command line. */
export function optionsOf({ status, q, instance, tag, owner, period }: TaskListFilter): string {
  const options: [string, string | null][] = [
    ['status', status],
    ['search', q],
    ['instance', instance],
    ['tag', tag],
    ['user', owner],
    ['since', period],
  ];
  return options.flatMap(([name, value]) => (value ? `--${name} ${shellWord(value)}` : [])).join(' ');
}
