import type { Task } from '@switchyard/contract/dispatch/task';
import { listTaskNodes } from '@switchyard/contract/dispatch/task-node';
import { whyTask } from '@switchyard/contract/dispatch/task-why';
import { getTask, listTasks, type TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { recentNews } from '../live/recent-news.ts';
import { keys } from './keys.ts';

export type TaskFilter = Omit<TaskListQuery, 'offset'>;

/** One page of tasks. */
export function tasksQuery(filter: TaskListQuery = {}) {
  return queryOptions({
    queryKey: [...keys.taskLists, filter],
    queryFn: async ({ signal }) => {
      const list = await gateway.call(listTasks, { query: filter, signal });
      return { ...list, items: list.items.map((task) => recentNews.task(task)) };
    },
  });
}

/** All tasks of a filter, page after page. */
export function taskPagesQuery(filter: TaskFilter = {}) {
  return infiniteQueryOptions({
    queryKey: [...keys.taskPages, filter],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: 100, ...filter, offset: pageParam };
      const list = await gateway.call(listTasks, { query, signal });
      return { ...list, offset: pageParam, items: list.items.map((task) => recentNews.task(task)) };
    },
    getNextPageParam: ({ total, offset, items }) =>
      items.length > 0 && offset + items.length < total ? offset + items.length : undefined,
  });
}

/** The tasks that agents of a thread asked for, the newest first. None of them is older than the thread. */
export function tasksOfThreadQuery(threadId: string, since: string | undefined) {
  return queryOptions({
    queryKey: keys.tasksOfThread(threadId),
    enabled: since !== undefined,
    queryFn: async ({ signal }) => {
      const list = await gateway.call(listTasks, { query: { threadId, since, limit: 200 }, signal });
      return { ...list, items: list.items.map((task) => recentNews.task(task)) };
    },
  });
}

export function taskQuery(taskId: string) {
  return queryOptions({
    queryKey: keys.task(taskId),
    queryFn: async ({ signal }) =>
      recentNews.task(await gateway.call(getTask, { params: { taskId }, signal })),
  });
}

/** Why a task waits, or why it failed. The answer is worth a few seconds. */
export function taskWhyQuery(taskId: string) {
  return queryOptions({
    queryKey: [...keys.task(taskId), 'why'],
    queryFn: ({ signal }) => gateway.call(whyTask, { params: { taskId }, signal }),
    staleTime: 5_000,
  });
}

export function taskNodesQuery(taskId: string) {
  return infiniteQueryOptions({
    queryKey: [...keys.task(taskId), 'nodes'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      gateway.call(listTaskNodes, {
        params: { taskId },
        query: { limit: 500, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Asks how long the nodes of a task usually take. It changes slowly, so frames about the task do not make it out of date. */
export function usualNodesQuery(taskId: string) {
  return queryOptions({
    queryKey: keys.usualNodes(taskId),
    queryFn: async ({ signal }) =>
      (await gateway.call(listTaskNodes, { params: { taskId }, query: { limit: 1 }, signal })).usual,
    staleTime: 60_000,
  });
}

/** The tasks that live frames have announced since the page was opened, the newest first. Lists show them when asked to. */
export function newTasksQuery() {
  return queryOptions({ queryKey: keys.newTasks, queryFn: (): Task[] => [], staleTime: Infinity });
}
