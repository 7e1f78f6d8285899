import type { Run } from '@switchyard/contract/conversation/run';
import type { Thread } from '@switchyard/contract/conversation/thread';
import type { FileMarks, NewStoredFile, StoredFile } from '@switchyard/contract/dispatch/file';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { ServerFrameData } from '@switchyard/contract/dispatch/push';
import type { SweepCell } from '@switchyard/contract/dispatch/sweep';
import type { Task } from '@switchyard/contract/dispatch/task';
import { type InfiniteData, notifyManager, type QueryClient } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import type { News } from './news.ts';
import { movingUp } from './queue-places.ts';
import { changedCells } from './sweep-cells.ts';
import { changedTask } from './task-change.ts';

/** So many new things are remembered until a list shows them; a list that waits longer is read again. */
const maxNew = 500;

type TaskList = { items: Task[] };
type Pages<P> = InfiniteData<P, unknown>;

/** Puts the content of frames into the queries that show it, with one notice to the components. */
export function applyNews(cache: QueryClient, news: News): void {
  notifyManager.batch(() => {
    if (news.tasks.size > 0) changeTasks(cache, news);
    if (news.newTasks.length > 0) {
      cache.setQueryData<Task[]>(keys.newTasks, (known = []) =>
        [...news.newTasks, ...known].slice(0, maxNew),
      );
    }
    changeSweeps(cache, news);
    if (news.instances.size > 0 || news.snapshot) changeInstances(cache, news);
    if (news.newFiles.length > 0 || news.deletedFiles.size > 0) changeFiles(cache, news);
    if (news.markedFiles.size > 0) showMarks(cache, news.markedFiles);
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

function changeSweeps(cache: QueryClient, news: News): void {
  for (const { queryKey } of cache.getQueryCache().findAll({ queryKey: [...keys.sweeps, 'cells'] })) {
    const change = changedCells(String(queryKey[2]), news);
    cache.setQueryData<SweepCell[]>(queryKey, (cells) => cells && changedItems(cells, change));
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
  const kept = <File extends NewStoredFile>(file: File) => (deletedFiles.has(file.fileId) ? null : file);
  cache.setQueryData<NewStoredFile[]>(keys.newFiles, (known = []) =>
    changedItems([...newFiles, ...known].slice(0, maxNew), kept),
  );
  if (deletedFiles.size === 0) return;
  cache.setQueriesData<Pages<{ items: StoredFile[]; total: number }>>(
    { queryKey: keys.filePages },
    (data) => data && changedPages(data, (page) => changedList(page, (file: StoredFile) => kept(file))),
  );
}

/** Lists by star or tag are read again when they are next shown; at once, files would vanish under the pointer. */
export function showMarks(cache: QueryClient, marks: ReadonlyMap<string, FileMarks>): void {
  cache.setQueriesData<Pages<{ items: StoredFile[]; total: number }>>(
    { queryKey: keys.filePages },
    (data) =>
      data &&
      changedPages(data, (page) =>
        changedList(page, (file: StoredFile) => {
          const marked = marks.get(file.fileId);
          return marked ? { ...file, ...marked } : file;
        }),
      ),
  );
  void cache.invalidateQueries({ queryKey: keys.filePages, refetchType: 'none' });
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

/** Returns the list itself when no item changes, so that no page is drawn again for nothing. */
function changedItems<T>(items: readonly T[], change: (item: T) => T | null): T[] {
  let isSame = true;
  const changed: T[] = [];
  for (const item of items) {
    const next = change(item);
    if (next !== item) isSame = false;
    if (next !== null) changed.push(next);
  }
  return isSame ? (items as T[]) : changed;
}

/** Changes the items of a list that has them in `items`. */
function changedList<T, L extends { items: readonly T[] }>(list: L, change: (item: T) => T | null): L {
  const items = changedItems(list.items, change);
  return items === list.items ? list : { ...list, items };
}

/** Changes each page of a paged list. */
function changedPages<P, Param>(
  data: InfiniteData<P, Param>,
  change: (page: P) => P,
): InfiniteData<P, Param> {
  const pages = changedItems(data.pages, change);
  return pages === data.pages ? data : { ...data, pages };
}

type LiveThread = Pick<Thread, 'thread_id' | 'status' | 'unread' | 'run_ended_at'>;

/** Returns the thread itself when the news are not about it. */
function changedThread<T extends LiveThread>(thread: T, { runs, unread }: Pick<News, 'runs' | 'unread'>): T {
  const id = thread.thread_id;
  let changed = thread;
  for (const run of runs.values()) {
    const status = run.threadId === id ? threadStatus(run) : changed.status;
    if (status !== changed.status) changed = { ...changed, status };
  }
  const mark = unread.get(id);
  if (!mark || (mark.unread === changed.unread && mark.runEndedAt === changed.run_ended_at)) return changed;
  return { ...changed, unread: mark.unread, run_ended_at: mark.runEndedAt };
}

function threadStatus({ status, waitsForHuman }: ServerFrameData<'run_status'>): Thread['status'] {
  if (status === 'pending' || status === 'running') return 'busy';
  if (waitsForHuman) return 'interrupted';
  return status === 'error' || status === 'timeout' ? 'error' : 'idle';
}

type LiveRun = Pick<Run, 'run_id' | 'status'>;

/** A run that has begun waits no longer. Its end is read with everything that it brings. */
function begunRun(run: LiveRun, { runs }: News): LiveRun {
  const isBegun = run.status === 'pending' && runs.get(run.run_id)?.status === 'running';
  return isBegun ? { ...run, status: 'running' } : run;
}
