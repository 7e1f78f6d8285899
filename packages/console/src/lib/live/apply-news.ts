import type { Run } from '@switchyard/contract/conversation/run';
import type { StoredFile } from '@switchyard/contract/dispatch/file';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { Task } from '@switchyard/contract/dispatch/task';
import { type InfiniteData, notifyManager, type QueryClient } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { changedItems, changedList, changedPages } from './changed-lists.ts';
import type { News } from './news.ts';
import { movingUp } from './queue-places.ts';
import { changedTask } from './task-change.ts';
import { changedThread, type LiveThread } from './thread-change.ts';

/** So many new things are remembered until a list shows them; a list that waits longer is read again. */
const maxNew = 500;

type TaskList = { items: Task[] };
type Pages<P> = InfiniteData<P, unknown>;

/** Puts what frames have said into the queries that show it, with one notice to the components. */
export function applyNews(cache: QueryClient, news: News): void {
  notifyManager.batch(() => {
    if (news.tasks.size > 0) changeTasks(cache, news);
    if (news.newTasks.length > 0) {
      cache.setQueryData<Task[]>(keys.newTasks, (known = []) =>
        [...news.newTasks, ...known].slice(0, maxNew),
      );
    }
    if (news.instances.size > 0 || news.snapshot) changeInstances(cache, news);
    if (news.newFiles.length > 0 || news.deletedFiles.size > 0) changeFiles(cache, news);
    if (news.runs.size > 0 || news.unread.size > 0) changeThreads(cache, news);
  });
}

function changeTasks(cache: QueryClient, { tasks }: News): void {
  const change = (task: Task): Task => {
    const known = tasks.get(task.id);
    return known ? changedTask(task, known) : task;
  };
  const changeAmong = (listed: readonly Task[]) => {
    const moveUp = movingUp(listed, tasks);
    return (task: Task) => change(moveUp(task));
  };
  cache.setQueriesData<TaskList>(
    { queryKey: keys.taskLists },
    (list) => list && changedList(list, changeAmong(list.items)),
  );
  cache.setQueriesData<Pages<TaskList>>({ queryKey: keys.taskPages }, (data) => {
    if (!data) return data;
    const changeListed = changeAmong(data.pages.flatMap(({ items }) => items));
    return changedPages(data, (page) => changedList(page, changeListed));
  });
  cache.setQueryData<Task[]>(keys.newTasks, (known) => known && changedItems(known, change));
  for (const taskId of tasks.keys()) {
    cache.setQueryData<Task>(keys.task(taskId), (task) => task && change(task));
  }
}

function changeInstances(cache: QueryClient, { instances, snapshot }: News): void {
  cache.setQueryData<Instance[]>(keys.instanceList, (list) => {
    const known = snapshot?.instances ?? list;
    return known && changedItems(known, (instance) => instances.get(instance.id) ?? instance);
  });
  for (const [instanceId, instance] of instances) {
    cache.setQueryData<Instance>(keys.instance(instanceId), (known) => known && { ...known, ...instance });
  }
}

function changeFiles(cache: QueryClient, { newFiles, deletedFiles }: News): void {
  const kept = (file: StoredFile) => (deletedFiles.has(file.fileId) ? null : file);
  cache.setQueryData<StoredFile[]>(keys.newFiles, (known = []) =>
    changedItems([...newFiles, ...known].slice(0, maxNew), kept),
  );
  if (deletedFiles.size === 0) return;
  cache.setQueriesData<Pages<{ items: StoredFile[]; total: number }>>(
    { queryKey: keys.filePages },
    (data) => data && changedPages(data, (page) => changedList(page, kept)),
  );
}

function changeThreads(cache: QueryClient, news: News): void {
  const change = (thread: LiveThread) => changedThread(thread, news);
  cache.setQueriesData<Pages<LiveThread[]>>(
    { queryKey: keys.threadPages },
    (data) => data && changedPages(data, (page) => changedItems(page, change)),
  );
  const threadIds = [...news.runs.values(), ...news.unread.values()].map(({ threadId }) => threadId);
  for (const threadId of new Set(threadIds)) {
    const key = [...keys.thread(threadId), 'record'];
    cache.setQueryData<LiveThread>(key, (thread) => thread && change(thread));
    cache.setQueryData<LiveRun[]>(
      [...keys.thread(threadId), 'runs'],
      (runs) => runs && changedItems(runs, (run) => begunRun(run, news)),
    );
  }
}

type LiveRun = Pick<Run, 'run_id' | 'status'>;

/** A run that has begun waits no longer. Its end is read with everything that it brings. */
function begunRun(run: LiveRun, { runs }: News): LiveRun {
  const isBegun = run.status === 'pending' && runs.get(run.run_id)?.status === 'running';
  return isBegun ? { ...run, status: 'running' } : run;
}
