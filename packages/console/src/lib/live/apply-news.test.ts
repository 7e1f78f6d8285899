import type { PushMessage } from '@switchyard/client/push/push-message';
import type { Task } from '@switchyard/contract/dispatch/task';
import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { keys } from '../data/keys.ts';
import { stateOf } from '../task-state.ts';
import { applyNews } from './apply-news.ts';
import { outdatedKeys } from './invalidations.ts';
import { newsOf } from './news.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const file = (fileId: string) => ({ fileId }) as never;
const row = (id: string) => ({ id, status: 'pending', progress: 0, updatedAt: '2025-12-31T00:00:00Z' });

function frame(type: string, data: object): PushMessage {
  return { type, timestamp: now, data } as PushMessage;
}

function cacheWith(entries: [readonly unknown[], unknown][]): QueryClient {
  const cache = new QueryClient();
  for (const [key, value] of entries) cache.setQueryData(key, value);
  return cache;
}

test('frames of a task change its rows in every list and its own page, and leave other rows the same objects', () => {
  const other = row('t2');
  const page = { items: [row('t1'), other], total: 2 };
  const pageKey = [...keys.taskPages, { status: 'pending' }];
  const cache = cacheWith([
    [[...keys.taskLists, {}], page],
    [pageKey, { pages: [page], pageParams: [0] }],
    [keys.task('t1'), row('t1')],
  ]);
  const started = frame('task_started', { taskId: 't1', instanceId: 'box', attempt: 1 });
  applyNews(cache, newsOf([started, frame('task_progress', { taskId: 't1', progress: 62, node: 'Scale' })]));

  const changed = { id: 't1', status: 'running', progress: 62, node: 'Scale', instanceId: 'box' };
  expect(cache.getQueryData<typeof page>([...keys.taskLists, {}])?.items).toMatchObject([changed, other]);
  const pages = cache.getQueryData<{ pages: (typeof page)[] }>(pageKey)?.pages;
  expect(pages?.[0]?.items[0]).toMatchObject(changed);
  expect(pages?.[0]?.items[1]).toBe(other);
  expect(cache.getQueryData(keys.task('t1'))).toMatchObject(changed);
});

test('a task that somebody cancels elsewhere is stopping in every list until it ends', () => {
  const running = { ...row('t1'), status: 'running', error: null, cancelRequested: false } as unknown as Task;
  const pageKey = [...keys.taskPages, {}];
  const cache = cacheWith([
    [pageKey, { pages: [{ items: [running], total: 1 }], pageParams: [0] }],
    [keys.newTasks, [running]],
    [keys.task('t1'), running],
  ]);
  const shown = () =>
    [
      cache.getQueryData<{ pages: { items: Task[] }[] }>(pageKey)?.pages[0]?.items[0],
      cache.getQueryData<Task[]>(keys.newTasks)?.[0],
      cache.getQueryData<Task>(keys.task('t1')),
    ].map((task) => task && stateOf(task));
  applyNews(cache, newsOf([frame('task_stopping', { taskId: 't1' })]));
  expect(shown()).toEqual(['stopping', 'stopping', 'stopping']);
  applyNews(cache, newsOf([frame('task_progress', { taskId: 't1', progress: 70 })]));
  expect(shown()).toEqual(['stopping', 'stopping', 'stopping']);
  const error = { code: 'cancelled', message: 'Stopped.' };
  applyNews(cache, newsOf([frame('task_failed', { taskId: 't1', error, attempt: 1 })]));
  applyNews(cache, newsOf([frame('task_stopping', { taskId: 't1' })]));
  expect(shown()).toEqual(['cancelled', 'cancelled', 'cancelled']);
});

test('200 frames a second become one change of the cache for each animation frame', () => {
  const cache = cacheWith([[keys.task('t1'), row('t1')]]);
  const changes = vi.fn();
  cache.getQueryCache().subscribe(({ type }) => type === 'updated' && changes());
  const second = Array.from({ length: 200 }, (_, n) =>
    frame('task_progress', { taskId: 't1', progress: n / 2 }),
  );
  applyNews(cache, newsOf(second));
  expect(changes).toHaveBeenCalledTimes(1);
  expect(cache.getQueryData(keys.task('t1'))).toMatchObject({ progress: 99.5 });
});

test('a new task waits apart from the lists, the newest first', () => {
  const cache = cacheWith([[[...keys.taskLists, {}], { items: [], total: 0 }]]);
  const created = (id: string) => frame('task_created', { taskId: id, task: row(id) });
  applyNews(cache, newsOf([created('t1'), created('t2')]));
  expect(cache.getQueryData(keys.newTasks)).toMatchObject([{ id: 't2' }, { id: 't1' }]);
  expect(cache.getQueryData([...keys.taskLists, {}])).toMatchObject({ items: [] });
});

test('a deleted file leaves every list of files', () => {
  const pages = { pages: [{ items: [file('a'), file('b')] }], pageParams: [undefined] };
  const cache = cacheWith([[[...keys.filePages, {}], pages]]);
  applyNews(cache, newsOf([frame('files_deleted', { fileIds: ['a'] })]));
  const left = cache.getQueryData<typeof pages>([...keys.filePages, {}]);
  expect(left?.pages[0]?.items).toEqual([file('b')]);
});

test('a star that another window has set shows in every list, and is counted again', () => {
  const pages = { pages: [{ items: [file('a'), file('b')] }], pageParams: [undefined] };
  const cache = cacheWith([[[...keys.filePages, {}], pages]]);
  const news = newsOf([frame('files_marked', { files: [{ fileId: 'a', starred: true }] })]);
  applyNews(cache, news);
  const shown = cache.getQueryData<typeof pages>([...keys.filePages, {}])?.pages[0]?.items;
  expect(shown).toEqual([{ fileId: 'a', starred: true }, file('b')]);
  expect(shown?.[1]).toBe(pages.pages[0]?.items[1]);
  expect(outdatedKeys(news)).toEqual([keys.starred, keys.fileTags]);
});

test('a thing that is shared or taken back is read again with the lists of shares', () => {
  const shared = (kind: string) => frame('share_changed', { kind, subjectId: 'x' });
  const keysFor = (kind: string) => outdatedKeys(newsOf([shared(kind)]));
  expect(keysFor('workflow')).toEqual([keys.shares, keys.workflows]);
  expect(keysFor('collection')).toEqual([keys.shares, keys.collections, keys.filesOf('x')]);
  expect(keysFor('file')).toEqual([keys.shares, keys.file('x')]);
  const changed = newsOf([frame('collection_changed', { collectionId: 'x' })]);
  expect(outdatedKeys(changed)).toEqual([keys.collections, keys.filesOf('x')]);
});

test('a run makes its thread busy, and a run that waits for a human marks it so', () => {
  const thread = { thread_id: 'th', status: 'idle', unread: false, run_ended_at: null };
  const key = [...keys.threadPages, {}];
  const cache = cacheWith([[key, { pages: [[thread]], pageParams: [0] }]]);
  const run = { runId: 'r', threadId: 'th', assistantId: 'a', error: null };
  const shown = () => cache.getQueryData<{ pages: object[][] }>(key)?.pages[0]?.[0];
  applyNews(cache, newsOf([frame('run_status', { ...run, status: 'running', waitsForHuman: false })]));
  expect(shown()).toMatchObject({ status: 'busy' });
  const ended = frame('run_status', { ...run, status: 'interrupted', waitsForHuman: true });
  const unread = frame('thread_unread', { threadId: 'th', unread: true, runEndedAt: 'then' });
  applyNews(cache, newsOf([ended, unread]));
  expect(shown()).toMatchObject({ status: 'interrupted', unread: true, run_ended_at: 'then' });
});

test('a run that has begun no longer waits in the list of its thread', () => {
  const key = [...keys.thread('th'), 'runs'];
  const cache = cacheWith([
    [
      key,
      [
        { run_id: 'r', status: 'pending' },
        { run_id: 'q', status: 'pending' },
      ],
    ],
  ]);
  const begun = { runId: 'r', threadId: 'th', assistantId: 'a', status: 'running', waitsForHuman: false };
  applyNews(cache, newsOf([frame('run_status', begun)]));
  expect(cache.getQueryData(key)).toMatchObject([{ status: 'running' }, { status: 'pending' }]);
});

test('progress makes no query read again; the start and the end of a task do, each key once', () => {
  const progress = frame('task_progress', { taskId: 't1', progress: 1 });
  expect(outdatedKeys(newsOf([progress]))).toEqual([]);
  const started = frame('task_started', { taskId: 't1', instanceId: 'i1', attempt: 1 });
  expect(outdatedKeys(newsOf([started, progress]))).toEqual([keys.task('t1'), keys.overview]);
  const ends = [
    frame('task_completed', { taskId: 't1', result: null }),
    frame('task_failed', { taskId: 't2' }),
  ];
  expect(outdatedKeys(newsOf(ends))).toEqual([keys.task('t1'), keys.task('t2'), keys.overview]);
});

test('a run that is accepted and begins between two pictures of the page is read into the lists', () => {
  const run = { runId: 'r', threadId: 'th', assistantId: 'a', waitsForHuman: false };
  const accepted = frame('run_status', { ...run, status: 'pending' });
  const begun = frame('run_status', { ...run, status: 'running' });
  const lists = [keys.thread('th'), keys.runPages, keys.threadPages];
  expect(outdatedKeys(newsOf([accepted, begun]))).toEqual([keys.run('th', 'r'), ...lists]);
  expect(outdatedKeys(newsOf([begun]))).toEqual([keys.run('th', 'r')]);
});
