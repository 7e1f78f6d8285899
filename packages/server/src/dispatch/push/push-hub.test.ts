import { createSecretKey } from 'node:crypto';
import { type PushTopic, pushLimits } from '@switchyard/contract/dispatch/push';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { ManualTime } from '../../../testing/manual-time.ts';
import { fixedKeys } from '../../platform/keys.ts';
import { DispatchEvents } from '../dispatch-events.ts';
import { Links } from '../links.ts';
import { PushHub } from './push-hub.ts';
import { PushSocket } from './push-socket.ts';

const time = new ManualTime();
let events: DispatchEvents;
let hub: PushHub;
let pending = 0;
/** Reading a snapshot waits for this, so that a test decides when it is read. */
let gate: Promise<void> = Promise.resolve();

beforeEach(() => {
  pending = 0;
  gate = Promise.resolve();
  events = new DispatchEvents((error) => {
    throw error;
  });
  const counts = async () => {
    const counted = { pending, running: 0, completed: 0, failed: 0 };
    await gate;
    return counted;
  };
  hub = new PushHub({
    events,
    together: (read) => read({ instances: { list: async () => [] }, tasks: { counts } }),
    instances: { view: () => expect.fail('There are no instances.') },
    pauses: { whole: null, pools: [] },
    links: new Links({
      keys: fixedKeys(createSecretKey(Buffer.alloc(32))),
      clock: time.now,
      publicUrl: null,
      listeningUrl: () => 'http://127.0.0.1:7300',
    }),
    clock: time.now,
    steadyClock: time.now,
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
});

afterEach(() => hub.close());

/** Every `global_status` that the client got: when, and how many tasks were pending. */
function newClient({ userId = 'ann', seesAll = false } = {}) {
  const got: { atMs: number; pending: number }[] = [];
  const types: string[] = [];
  const wire = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string | Buffer) => {
      if (typeof text !== 'string') return;
      const { type, data } = JSON.parse(text);
      types.push(type);
      if (type === 'global_status') got.push({ atMs: time.now(), pending: data.tasks.pending });
    },
    close: () => undefined,
  };
  const connection = { cork: () => undefined, uncork: () => undefined };
  const socket = new PushSocket(wire as unknown as WebSocket, { connection, userId, seesAll });
  return { got, types, socket };
}

function change(): void {
  pending += 1;
  events.announce({ type: 'instance_removed', instanceId: 'a' });
}

/**
 * Waits until the snapshot that was read and the messages that are due have been sent, in a later turn of the event
 * loop.
 */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a change right after the snapshot is sent a second after it, not at once', async () => {
  const { got, socket } = newClient();
  await hub.add(socket);
  change();
  await settled();
  expect(got).toEqual([{ atMs: time.now(), pending: 0 }]);
  time.advance(999);
  await settled();
  expect(got).toHaveLength(1);
  time.advance(1);
  await vi.waitFor(() => expect(got.map((status) => status.pending)).toEqual([0, 1]));
});

test('a client never gets two within a second, whenever it connected and however much changes', async () => {
  const clients = [newClient(), newClient(), newClient()];
  for (let step = 0; step < 100; step += 1) {
    const joining = step % 7 === 0 ? clients[step / 7] : undefined;
    if (joining) await hub.add(joining.socket);
    change();
    await settled();
    time.advance(100);
    await settled();
  }
  time.advance(2_000);
  await settled();
  for (const { got } of clients) {
    const gaps = got.slice(1).map(({ atMs }, index) => atMs - (got[index]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(gaps.length).toBeGreaterThan(5);
    expect(got.at(-1)?.pending).toBe(pending);
  }
});

test('a change while a snapshot is read is sent a second after the snapshot', async () => {
  const present = newClient();
  await hub.add(present.socket);
  time.advance(5_000);
  let open = (): void => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const { got, socket } = newClient();
  const added = hub.add(socket);
  change();
  open();
  await added;
  await settled();
  expect(got).toEqual([{ atMs: time.now(), pending: 0 }]);
  time.advance(1_000);
  await settled();
  expect(got.map((status) => status.pending)).toEqual([0, 1]);
});

test('clients are told to read again when events were lost, and get the counts', async () => {
  const { got, types, socket } = newClient();
  await hub.add(socket);
  await settled();
  time.advance(1_000);
  events.passOn({ type: 'news_lost' });
  await settled();
  expect(types).toEqual(['global_status', 'resync', 'global_status']);
  expect(got).toHaveLength(2);
});

test('rows of tasks elsewhere are read for users who listen or listened a moment ago; the numbers go to everyone', async () => {
  const ann = newClient();
  expect(events.isFollowed('t', 'ann')).toBe(false);
  await hub.add(ann.socket);
  expect([events.isFollowed('t', 'ann'), events.isFollowed('t', 'bob')]).toEqual([true, false]);
  time.advance(1_000);
  events.passOn({ type: 'tasks_changed' });
  await settled();
  expect(ann.types).toEqual(['global_status', 'global_status']);
  const root = newClient({ userId: 'root', seesAll: true });
  await hub.add(root.socket);
  expect(events.isFollowed('t', 'bob')).toBe(true);
  hub.remove(ann.socket);
  hub.remove(root.socket);
  expect(events.isFollowed('t', 'bob'), 'they may come back for what they have missed').toBe(true);
  time.advance(pushLimits.keptMs);
  expect([events.isFollowed('t', 'ann'), events.isFollowing]).toEqual([false, false]);
});

test('previews are wanted for the users whose sockets have asked for them', async () => {
  expect(hub.previewsWanted).toEqual([]);
  const [ann, root] = [newClient(), newClient({ userId: 'root', seesAll: true })];
  await hub.add(ann.socket);
  await hub.add(root.socket);
  expect(hub.previewsWanted).toEqual([]);
  const filter = { topics: new Set<PushTopic>(['previews']), taskIds: null };
  ann.socket.setFilter(filter);
  expect(hub.previewsWanted).toEqual(['ann']);
  root.socket.setFilter(filter);
  expect(hub.previewsWanted).toBeNull();
  hub.remove(root.socket);
  expect(hub.previewsWanted).toEqual(['ann']);
});

test('a preview is read only when a socket wants it', async () => {
  let read = 0;
  const preview = {
    mediaType: 'image/png',
    get bytes() {
      read += 1;
      return Buffer.from('picture');
    },
  };
  const show = (owner: string) => events.announce({ type: 'task_preview', taskId: 't', owner, preview });
  const ann = newClient();
  await hub.add(ann.socket);
  show('ann');
  expect(read).toBe(0);
  ann.socket.setFilter({ topics: new Set(['previews']), taskIds: null });
  show('bob');
  expect(read).toBe(0);
  show('ann');
  expect(read).toBe(1);
});

test('a frame that waits is not sent to a client that no longer asks for it', async () => {
  const { socket, types } = newClient();
  socket.begin([
    { topic: 'instances', owner: null, taskId: null, replaces: null, payload: '{"type":"first"}' },
  ]);
  socket.offer({
    topic: 'instances',
    owner: null,
    taskId: null,
    replaces: null,
    payload: '{"type":"instance_status"}',
  });
  socket.offer({
    topic: 'tasks',
    owner: 'ann',
    taskId: 't',
    replaces: null,
    payload: '{"type":"task_created"}',
  });
  socket.setFilter({ topics: new Set<PushTopic>(['tasks']), taskIds: null });
  await new Promise((resolve) => setImmediate(resolve));
  expect(types).toEqual(['first', 'task_created']);
});
