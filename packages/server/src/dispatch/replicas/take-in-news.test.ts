import { beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { DispatchEvents } from '../dispatch-events.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import { Matchmaker } from '../queue/matchmaker.ts';
import { pendingOf } from '../queue/pending-task.ts';
import type { TaskRow } from '../tables.ts';
import type { News } from './news.ts';
import { TakeInNews } from './take-in-news.ts';

const time = new ManualTime();
const createdAt = new Date(time.now()).toISOString();
const need = { nodeClasses: ['A'], models: [], pool: null, pinnedInstanceId: null };
const row = (id: string) =>
  ({
    id,
    owner: 'ada',
    priority: 0,
    attempt: 0,
    fingerprint: 'f',
    frontAt: null,
    phase: 'queued',
    createdAt,
  }) as TaskRow;

const created = (id: string): News => ({ type: 'task_created', id });
const createdWith = (id: string, owner = 'ada'): News => {
  const { avoids: _none, ...waits } = pendingOf({ ...row(id), owner }, need);
  return { type: 'task_created', id, owner, waits };
};
const claimed = (id: string): News => ({ type: 'task_claimed', id });
const started = (id: string): News => ({ type: 'task_started', id, createdAt });
const ended = (id: string): News => ({ type: 'task_ended', id });

let events: DispatchEvents;
let queue: Matchmaker;
let taking: TakeInNews;
/** The ids of each question that was asked, by its table. */
let asked: { rows: string[]; requirements: string[]; files: string[][] };
let counted: { starts: string[]; ends: number };

beforeEach(() => {
  events = new DispatchEvents((error) => {
    throw error;
  });
  queue = new Matchmaker({ clock: time.now, timer: time.timer });
  asked = { rows: [], requirements: [], files: [] };
  counted = { starts: [], ends: 0 };
  const unused = async (): Promise<never> => expect.fail('These news need nothing of it.');
  taking = new TakeInNews({
    tasks: {
      rowsOf: async (ids) => {
        asked.rows.push(...ids);
        return ids.map(row);
      },
      requirementsOf: async (ids) => {
        asked.requirements.push(...ids);
        return new Map(ids.map((id) => [id, need]));
      },
    },
    attempts: { ofEach: async () => new Map() },
    files: {
      getMany: async (owner, ids) => {
        asked.files.push([String('user' in owner && owner.user), ...ids]);
        return ids.filter((id) => id !== 'gone').map((id) => ({ id }) as FileRow);
      },
    },
    queue,
    pauses: { load: unused },
    fleet: { apply: unused, member: () => undefined },
    configuration: { refresh: unused },
    events,
    monitor: {
      countStart: (task) => void counted.starts.push(task.createdAt),
      countEnd: () => {
        counted.ends += 1;
      },
    },
    avoidMs: 1_000,
    clock: time.now,
  });
});

test('the start and the end of a task that no one here follows are counted, and no row is read', async () => {
  await taking.takeIn([claimed('a'), started('a')]);
  await taking.takeIn([ended('a')]);
  expect(asked).toEqual({ rows: [], requirements: [], files: [] });
  expect(counted).toEqual({ starts: [createdAt], ends: 1 });
});

test('a task that is asked to stop is told to its windows, and no row is read', async () => {
  const heard: unknown[] = [];
  events.listen((event) => heard.push(event), { followsTasks: () => true });
  await taking.takeIn([{ type: 'task_stopping', id: 'a', owner: 'ada' }]);
  expect(heard).toEqual([{ type: 'task_stopping', taskId: 'a', owner: 'ada' }]);
  expect(asked).toEqual({ rows: [], requirements: [], files: [] });
});

test('a task that waits is put into the queue, and leaves it when it is claimed', async () => {
  await taking.takeIn([created('a')]);
  expect(queue.ids).toEqual(['a']);
  await taking.takeIn([claimed('a')]);
  expect(queue.ids).toEqual([]);
  expect(asked).toEqual({ rows: ['a'], requirements: ['a'], files: [] });
});

test('news that tell the place of a new task are enough for the queue, and no row is read', async () => {
  const heard: string[] = [];
  events.listen((event) => heard.push(event.type));
  await taking.takeIn([createdWith('a'), createdWith('b'), claimed('a')]);
  expect(queue.ids).toEqual(['b']);
  expect(queue.get('b')).toEqual(pendingOf(row('b'), need));
  expect(asked).toEqual({ rows: [], requirements: [], files: [] });
  expect(heard, 'numbers on a page change, although no task is shown').toEqual(['tasks_changed']);
});

test('new files are read with one question for each owner whom someone here follows', async () => {
  const heard: unknown[] = [];
  const follows = (owner?: string) => owner === 'bob' || owner === 'eve';
  events.listen((event) => heard.push(event), { followsTasks: follows });
  const files = (owner: string, ids: string[]): News => ({ type: 'files_created', owner, ids });
  await taking.takeIn([
    files('bob', ['a', 'gone']),
    files('ada', ['b']),
    files('eve', ['c']),
    files('bob', ['d']),
  ]);
  expect(asked.files).toEqual([
    ['bob', 'a', 'gone', 'd'],
    ['eve', 'c'],
  ]);
  expect(heard).toEqual([
    { type: 'files_created', owner: 'bob', files: [{ id: 'a' }] },
    { type: 'files_created', owner: 'eve', files: [{ id: 'c' }] },
    { type: 'files_created', owner: 'bob', files: [{ id: 'd' }] },
  ]);
});

test('a task that was created and claimed meanwhile is not read for the queue', async () => {
  await taking.takeIn([created('a'), created('b'), claimed('a')]);
  expect(queue.ids).toEqual(['b']);
  expect(asked).toEqual({ rows: ['b'], requirements: ['b'], files: [] });
});

test('who waits for a task hears of it with its row, and the rows of other tasks are not read', async () => {
  const heard: string[] = [];
  events.listenTo('a', (event) => heard.push(event.type));
  await taking.takeIn([created('a'), claimed('a'), started('a'), started('b'), ended('b'), ended('a')]);
  expect(heard).toEqual(['task_created', 'task_started', 'task_ended']);
  expect(asked.rows).toEqual(['a']);
});

test('all tasks are read while a listener follows those of other replicas', async () => {
  let isNeeded = false;
  const heard: string[] = [];
  const stop = events.listen((event) => heard.push(event.type), { followsTasks: () => isNeeded });
  await taking.takeIn([ended('a')]);
  expect(heard).toEqual(['tasks_changed']);
  isNeeded = true;
  await taking.takeIn([ended('b')]);
  expect(heard).toEqual(['tasks_changed', 'task_ended']);
  stop();
  await taking.takeIn([ended('c')]);
  expect(asked.rows).toEqual(['b']);
});

test('only the tasks of users that a listener follows are read', async () => {
  events.listen(() => undefined, { followsTasks: (owner) => owner === undefined || owner === 'ada' });
  await taking.takeIn([
    { type: 'task_ended', id: 'a', owner: 'ada' },
    { type: 'task_ended', id: 'b', owner: 'bob' },
    { type: 'task_ended', id: 'of an earlier version' },
  ]);
  expect(asked.rows).toEqual(['a', 'of an earlier version']);
});

test('a node of another replica is told without a question to the database', async () => {
  const heard: unknown[] = [];
  events.listen((event, isNews) => heard.push([event, isNews]));
  const event = { type: 'node_started', nodeId: '1', topNodeId: '1' } as const;
  await taking.takeIn([{ type: 'task_execution', id: 'a', owner: 'ada', event }]);
  expect(heard).toEqual([[{ type: 'task_execution', taskId: 'a', owner: 'ada', event }, true]]);
  expect(asked).toEqual({ rows: [], requirements: [], files: [] });
});
