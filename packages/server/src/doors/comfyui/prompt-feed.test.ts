import { beforeEach, expect, test } from 'vitest';
import { type DispatchEvent, DispatchEvents } from '../../dispatch/dispatch-events.ts';
import type { PushSocket } from '../../dispatch/push/push-socket.ts';
import { pendingOf } from '../../dispatch/queue/pending-task.ts';
import type { RunningNode } from '../../dispatch/replicas/running-nodes.ts';
import type { TaskPromptRow, TaskRow } from '../../dispatch/tables.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { type PromptClient, PromptFeed } from './prompt-feed.ts';

const task = { id: 't', owner: 'ada', status: 'completed', result: null } as unknown as TaskRow;
const need = { nodeClasses: [], models: [], pool: null, pinnedInstanceId: null };
const address: TaskPromptRow = { taskId: 't', owner: 'ada', promptId: 'p', clientId: 'window' };
const execution = (nodeId: string): DispatchEvent => ({
  type: 'task_execution',
  taskId: 't',
  owner: 'ada',
  event: { type: 'node_started', nodeId, topNodeId: nodeId },
});
const wholeEnd = ['execution_success', 'executing null'];

let events: DispatchEvents;
let feed: PromptFeed;
let running: Promise<RunningNode[]>;
let looks: number;
let rowPhase: TaskRow['phase'];

beforeEach(() => {
  events = new DispatchEvents((error) => {
    throw error;
  });
  running = Promise.resolve([]);
  looks = 0;
  rowPhase = 'queued';
  feed = new PromptFeed({
    events,
    prompts: { of: async (ids) => new Map(ids.includes('t') ? [['t', address]] : []) },
    tasks: {
      counts: async () => ({ pending: 0, running: 0, completed: 0, failed: 0 }),
      rowsOf: async (ids) => (ids.includes('t') ? [{ ...task, phase: rowPhase }] : []),
    },
    running: { of: () => running },
    lookAtReports: () => {
      looks += 1;
    },
    clock: () => 0,
    onFault: (error) => {
      throw error;
    },
  });
});

async function connect(clientId = 'window') {
  const heard: string[] = [];
  const offer = ({ payload }: { payload: string | Uint8Array }): void => {
    const { type, data } = JSON.parse(String(payload));
    if (type !== 'status') heard.push(type === 'executing' ? `executing ${data.node}` : type);
  };
  const push = { offer, begin: () => undefined } as unknown as PushSocket;
  const client: PromptClient = { push, userId: 'ada', clientId, readsPreviewMetadata: false };
  await feed.add(client);
  return { client, heard };
}

test('the end of a prompt is told once, by the news or by the rows', async () => {
  const { heard } = await connect();
  events.passOn(execution('1'));
  await expect.poll(() => heard).toEqual(['executing 1']);
  expect(events.watchedTasks).toEqual(['t']);
  events.tellWatchers({ type: 'task_ended', task });
  events.passOn({ type: 'task_ended', task });
  expect(heard).toEqual(['executing 1', ...wholeEnd]);
  expect(events.watchedTasks).toEqual([]);
});

test('a prompt that waits is not watched, and its end is read when news were lost', async () => {
  const { heard } = await connect();
  events.passOn({ type: 'task_created', task, waits: pendingOf(task, need) });
  await new Promise((resolve) => setImmediate(resolve));
  expect(events.watchedTasks).toEqual([]);
  events.passOn({ type: 'news_lost' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([]);
  rowPhase = 'ended';
  for (let times = 0; times < 2; times += 1) events.passOn({ type: 'news_lost' });
  await expect.poll(() => heard).toEqual(wholeEnd);
  events.passOn({ type: 'task_ended', task });
  expect(heard).toEqual(wholeEnd);
});

test('an end that is told twice before the prompt is known is told once', async () => {
  const { heard } = await connect();
  const release = feed.hold(address);
  events.announce({ type: 'task_started', task });
  for (let times = 0; times < 2; times += 1) events.announce({ type: 'task_ended', task });
  expect(heard).toEqual([]);
  release();
  expect(heard).toEqual(['execution_start', ...wholeEnd]);
});

test('a client that comes back is not told of a node when it has heard of a later one', async () => {
  const answer = newDeferred<RunningNode[]>();
  running = answer.promise;
  const { heard } = await connect();
  const other = await connect('other');
  events.passOn(execution('2'));
  await expect.poll(() => heard).toEqual(['executing 2']);
  answer.resolve([{ taskId: 't', nodeId: '1', topNodeId: '1' }]);
  const late = await connect();
  await expect.poll(() => late.heard).toEqual(['executing 1']);
  expect(heard).toEqual(['executing 2']);
  expect(other.heard).toEqual([]);
});

test('the first client of an account makes the other replicas tell of its tasks, and the last one leaves nothing', async () => {
  const [first, second] = [await connect(), await connect()];
  expect([looks, events.reportsWanted]).toEqual([1, ['ada']]);
  expect([events.isFollowed('x', 'ada'), events.isFollowed('x', 'bob')]).toEqual([true, false]);
  events.passOn(execution('1'));
  await expect.poll(() => events.watchedTasks).toEqual(['t']);
  for (const { client } of [first, second]) feed.remove(client);
  expect([events.reportsWanted, events.watchedTasks, events.isFollowing]).toEqual([[], [], false]);
});
