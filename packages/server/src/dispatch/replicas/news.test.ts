import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { MemoryBus } from '../../platform/bus/memory-bus.ts';
import { type DispatchEvent, DispatchEvents, type NodeEvent } from '../dispatch-events.ts';
import type { TaskRow } from '../tables.ts';
import { type News, type NewsMessage, newsOf, newsTopic } from './news.ts';
import { NewsReader } from './news-reader.ts';
import { NewsSender } from './news-sender.ts';

const fail = (error: unknown): never => {
  throw error;
};

let bus: MemoryBus;
let time: ManualTime;
let closing: (() => Promise<void>)[];

beforeEach(() => {
  bus = new MemoryBus();
  time = new ManualTime();
  closing = [];
});

afterEach(async () => {
  for (const close of closing) await close();
  await bus.close();
});

function newReplica(options: { token?: number | null; to?: Pick<MemoryBus, 'publish'> } = {}) {
  return newSender(options).events;
}

function newSender({
  token = null,
  to = bus,
}: {
  token?: number | null;
  to?: Pick<MemoryBus, 'publish'>;
} = {}) {
  const events = new DispatchEvents(fail);
  const times = { steadyClock: time.now, timer: time.timer };
  const sender = new NewsSender({
    bus: to,
    events,
    self: 'here',
    token: () => token,
    ...times,
    onFault: fail,
  });
  closing.push(() => sender.close());
  return { events, sender };
}

async function newListener(
  takeIn?: (news: readonly News[]) => Promise<void>,
  isUrgent: () => boolean = () => true,
) {
  const heard: (News | 'gap')[] = [];
  const reader = new NewsReader({
    bus,
    self: 'there',
    takeIn: async (news) => {
      heard.push(...news);
      await takeIn?.(news);
    },
    catchUp: async () => void heard.push('gap'),
    isUrgent,
    timer: time.timer,
    onFault: fail,
  });
  await reader.start();
  closing.push(() => reader.close());
  return heard;
}

const tell = (message: Partial<NewsMessage>) =>
  bus.publish(newsTopic, { from: 'here', token: null, hasGap: false, news: [], ...message } as never);

const ended = (id: string): DispatchEvent => ({
  type: 'task_ended',
  task: { id, workflow: 'x' } as unknown as TaskRow,
});
const progress = (percent: number): DispatchEvent => ({
  type: 'task_progress',
  taskId: 'a',
  owner: 'ada',
  requestId: null,
  progress: { progress: percent },
});

test('an event crosses as the id of its row, in the order in which it happened', async () => {
  const heard = await newListener();
  const events = newReplica();
  events.announce({ type: 'task_claimed', taskId: 'a' });
  events.announce(ended('a'));
  await expect
    .poll(() => heard)
    .toEqual([
      { type: 'task_claimed', id: 'a' },
      { type: 'task_ended', id: 'a' },
    ]);
});

const report = (event: NodeEvent) =>
  ({ type: 'task_execution', taskId: 'a', owner: 'ada', event }) as const satisfies DispatchEvent;
const node = (nodeId: string) => report({ type: 'node_started', nodeId, topNodeId: nodeId });

test('a node crosses only when it is asked for, in its place among the other news', async () => {
  const heard = await newListener();
  const { events, sender } = newSender();
  const announce = (event: DispatchEvent & { type: 'task_execution' }, isWanted: boolean) => {
    events.announce(event);
    if (isWanted) sender.report(event);
  };
  events.announce({ type: 'task_claimed', taskId: 'a' });
  announce(node('1'), false);
  announce(node('2'), true);
  announce(report({ type: 'nodes_cached', nodeIds: ['x'.repeat(50_000)] }), true);
  events.announce(ended('a'));
  await expect
    .poll(() => heard)
    .toEqual([{ type: 'task_claimed', id: 'a' }, newsOf(node('2')), newsOf(ended('a'))]);
});

test('while the bus takes nothing, nodes are left out before anything else is lost', async () => {
  const heard = await newListener();
  const gate = newDeferred();
  const slow: Pick<MemoryBus, 'publish'> = {
    publish: async (topic, message) => {
      await gate.promise;
      await bus.publish(topic, message);
    },
  };
  const { events, sender } = newSender({ to: slow });
  for (let index = 0; index < 4_500; index += 1) sender.report(node(`${index}`));
  events.announce(ended('a'));
  gate.resolve();
  await expect.poll(() => heard.at(-1)).toEqual(newsOf(ended('a')));
  expect(heard).toHaveLength(1_001);
});

test('what came from another replica is not told again', async () => {
  const heard = await newListener();
  const events = newReplica();
  events.passOn(ended('theirs'));
  events.announce(ended('ours'));
  await expect.poll(() => heard).toEqual([{ type: 'task_ended', id: 'ours' }]);
});

test('progress crosses four times a second, and the last of a task before its end', async () => {
  const heard = await newListener();
  const events = newReplica();
  for (const percent of [10, 20, 30]) events.announce(progress(percent));
  events.announce(ended('a'));
  await expect.poll(() => heard.length).toBe(3);
  expect(
    heard.map((news) => (news !== 'gap' && 'progress' in news ? news.progress.progress : 'end')),
  ).toEqual([10, 30, 'end']);
});

test('news that follow a message within 25 milliseconds cross together, and at once when the replica closes', async () => {
  const messages: NewsMessage['news'][] = [];
  const to: Pick<MemoryBus, 'publish'> = {
    publish: async (_, message) => void messages.push((message as unknown as NewsMessage).news),
  };
  const events = newReplica({ to });
  events.announce(ended('a'));
  await expect.poll(() => messages.length).toBe(1);
  events.announce(ended('b'));
  await expect.poll(() => time.nextTimerMs).not.toBeNull();
  events.announce(ended('c'));
  expect(messages.length).toBe(1);
  time.advance(25);
  await expect.poll(() => messages.slice(1)).toEqual([[ended('b'), ended('c')].map(newsOf)]);
  events.announce(ended('d'));
  await closing.pop()?.();
  expect(messages.slice(2)).toEqual([[newsOf(ended('d'))]]);
});

test('news beyond the limit make the others read the rows', async () => {
  const heard = await newListener();
  const gate = newDeferred();
  const slow: Pick<MemoryBus, 'publish'> = {
    publish: async (topic, message) => {
      await gate.promise;
      await bus.publish(topic, message);
    },
  };
  const events = newReplica({ to: slow });
  for (let index = 0; index < 5_001; index += 1)
    events.announce({ type: 'task_claimed', taskId: `${index}` });
  gate.resolve();
  await expect.poll(() => heard).toEqual(['gap']);
});

test('a replica leaves out its own news', async () => {
  const heard = await newListener();
  await tell({ from: 'there', news: [{ type: 'task_ended', id: 'own' }] });
  await tell({ news: [{ type: 'task_ended', id: 'other' }] });
  await expect.poll(() => heard).toEqual([{ type: 'task_ended', id: 'other' }]);
});

test('progress from a replica that was the dispatcher before is left out', async () => {
  const heard = await newListener();
  const late: News = {
    type: 'task_progress',
    id: 'a',
    owner: 'ada',
    requestId: null,
    progress: { progress: 5 },
  };
  await tell({ from: 'new', token: 2, news: [{ type: 'task_claimed', id: 'a' }] });
  await tell({ from: 'old', token: 1, news: [late, { type: 'task_created', id: 'b' }] });
  await expect
    .poll(() => heard)
    .toEqual([
      { type: 'task_claimed', id: 'a' },
      { type: 'task_created', id: 'b' },
    ]);
});

test('a replica that falls behind reads the rows instead of a growing list', async () => {
  const gate = newDeferred();
  const heard = await newListener(() => gate.promise);
  await tell({ news: [{ type: 'task_ended', id: 'first' }] });
  await expect.poll(() => heard.length).toBe(1);
  const many = Array.from({ length: 200 }, (_, index): News => ({ type: 'task_ended', id: `${index}` }));
  for (let index = 0; index < 26; index += 1) await tell({ news: many });
  // All of them are there before the first is taken in.
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  gate.resolve();
  await expect.poll(() => heard).toContain('gap');
  expect(heard.length).toBeLessThan(1_000);
});

test('a replica where no one waits for news collects them, and one where someone does takes them in at once', async () => {
  const parts: (readonly News[])[] = [];
  let isUrgent = false;
  const heard = await newListener(
    async (news) => void parts.push(news),
    () => isUrgent,
  );
  for (const id of ['a', 'b', 'c']) await tell({ news: [{ type: 'task_ended', id }] });
  await expect.poll(() => time.nextTimerMs).not.toBeNull();
  expect(heard).toEqual([]);
  time.advance(50);
  await expect.poll(() => parts.map((part) => part.length)).toEqual([3]);
  isUrgent = true;
  await tell({ news: [{ type: 'task_ended', id: 'd' }] });
  await expect.poll(() => parts.length).toBe(2);
});
