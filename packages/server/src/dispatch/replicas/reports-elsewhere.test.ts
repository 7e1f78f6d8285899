import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { MemoryBus } from '../../platform/bus/memory-bus.ts';
import { DispatchEvents } from '../dispatch-events.ts';
import { ReportsElsewhere } from './reports-elsewhere.ts';

const fail = (error: unknown): never => {
  throw error;
};

const time = new ManualTime();
let bus: MemoryBus;
let published: string[];
/** The tasks for which a node was reported. */
let reported: string[];
let wantedHere: string[] | null;
let dispatcher: { events: DispatchEvents; reports: ReportsElsewhere };
let other: { events: DispatchEvents; reports: ReportsElsewhere };

function newReplica(isDispatcher: boolean) {
  const events = new DispatchEvents(fail);
  const reports = new ReportsElsewhere({
    bus: {
      publish: async (topic, message) => {
        published.push(topic.name);
        await bus.publish(topic, message);
      },
      subscribe: (...given) => bus.subscribe(...given),
    },
    events,
    orders: {
      send: (order) => {
        if (order.kind === 'previews') dispatcher.reports.want('other', order.owners);
      },
    },
    report: ({ taskId }) => void reported.push(taskId),
    isDispatcher: () => isDispatcher,
    steadyClock: time.now,
    timer: time.timer,
    onFault: fail,
  });
  reports.start();
  events.listen(() => undefined, { reportsWanted: () => (isDispatcher ? [] : wantedHere) });
  return { events, reports };
}

beforeEach(() => {
  bus = new MemoryBus();
  published = [];
  reported = [];
  wantedHere = [];
  dispatcher = newReplica(true);
  other = newReplica(false);
});

afterEach(async () => {
  await dispatcher.reports.close();
  await other.reports.close();
  await bus.close();
});

function show(owner: string): void {
  const preview = { mediaType: 'image/png', bytes: Buffer.from(owner) };
  dispatcher.events.announce({ type: 'task_preview', taskId: `of ${owner}`, owner, preview });
}

/** Lets the replicas look at what their sockets want. */
async function look(): Promise<void> {
  time.advance(1_000);
  await new Promise((resolve) => setImmediate(resolve));
}

function execute(owner: string): void {
  const event = { type: 'node_started', nodeId: '1', topNodeId: '1' } as const;
  dispatcher.events.announce({ type: 'task_execution', taskId: `of ${owner}`, owner, event });
}

test('nothing crosses while no socket elsewhere wants it', async () => {
  await look();
  show('ada');
  execute('ada');
  expect([published, reported]).toEqual([[], []]);
});

test('the previews of a user cross while a socket elsewhere wants them, and end some seconds later', async () => {
  const got: string[] = [];
  other.events.listen((event, isNews) => {
    if (event.type === 'task_preview' && isNews) got.push(String(event.preview.bytes));
  });
  wantedHere = ['ada'];
  await look();
  show('bob');
  show('ada');
  await expect.poll(() => got).toEqual(['ada']);
  wantedHere = [];
  for (let second = 0; second < 13; second += 1) await look();
  show('ada');
  expect(published).toHaveLength(1);
});

test('the nodes of a user are told from the moment that a socket elsewhere has come, and of no other user', async () => {
  wantedHere = ['ada'];
  execute('ada');
  other.reports.look();
  execute('bob');
  execute('ada');
  expect(reported).toEqual(['of ada']);
});

test('when sockets elsewhere show more users than an order names, everything crosses', async () => {
  wantedHere = Array.from({ length: 101 }, (_, index) => `user ${index}`);
  other.reports.look();
  execute('bob');
  expect(reported).toEqual(['of bob']);
});
