import type { Task } from '@switchyard/contract/dispatch/task';
import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useHeldRows } from '../../../kit/rows/use-held-rows.ts';
import { newTasksQuery, taskPagesQuery } from '../../../lib/data/tasks.ts';
import { fits, hasStatus, type TaskListFilter } from './task-filter.ts';

const openListMs = 10_000;

/** The rows of the list: the pages that are loaded, and the tasks that have appeared since. */
export function useTaskRows({
  filter,
  query,
  held,
}: {
  filter: TaskListFilter;
  query: Omit<TaskListQuery, 'limit' | 'offset'>;
  /** While somebody points at the list or has scrolled into it, new tasks wait. */
  held: boolean;
}) {
  const moves = filter.status === 'pending' || filter.status === 'running';
  const pages = useInfiniteQuery({
    ...taskPagesQuery(query),
    placeholderData: keepPreviousData,
    // Tasks enter and leave these statuses; the held rows keep the list still meanwhile.
    ...(moves && { refetchInterval: openListMs }),
  });
  const added = useQuery(newTasksQuery());
  const rows = useMemo(
    () => join(pages.data?.pages.flatMap(({ items }) => items) ?? [], added.data ?? [], filter),
    [pages.data, added.data, filter],
  );
  const visible = useMemo(
    () => (held || filter.status === null ? rows : rows.filter((task) => hasStatus(task, filter.status))),
    [rows, held, filter.status],
  );
  const list = useHeldRows(visible, { keyOf: taskKey, of: JSON.stringify(filter), held });
  return { ...list, pages };
}

export function taskKey({ id }: Pick<Task, 'id'>): string {
  return id;
}

/** The newest first; a task that stands in a page as well is taken from there. */
function join(loaded: readonly Task[], added: readonly Task[], filter: TaskListFilter): Task[] {
  const byId = new Map<string, Task>();
  for (const task of added) if (fits(task, filter)) byId.set(task.id, task);
  for (const task of loaded) byId.set(task.id, task);
  return [...byId.values()].sort((left, right) => (left.id < right.id ? 1 : -1));
}
