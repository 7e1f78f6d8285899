import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { MemoryBus } from '../../platform/bus/memory-bus.ts';
import { DispatchEvents } from '../dispatch-events.ts';
import { PreviewsElsewhere } from './previews-elsewhere.ts';

const fail = (error: unknown): never => {
  throw error;
};

const time = new ManualTime();
let bus: MemoryBus;
let published: string[];
let wantedHere: string[] | null;
let dispatcher: { events: DispatchEvents; previews: PreviewsElsewhere };
let other: { events: DispatchEvents; previews: PreviewsElsewhere };

function newReplica(isDispatcher: boolean) {
  const events = new DispatchEvents(fail);
  const previews = new PreviewsElsewhere({
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
        if (order.kind === 'previews') dispatcher.previews.want('other', order.owners);
      },
    },
    wantedHere: () => wantedHere,
    isDispatcher: () => isDispatcher,
    steadyClock: time.now,
    timer: time.timer,
    onFault: fail,
  });
  previews.start();
  return { events, previews };
}

beforeEach(() => {
  bus = new MemoryBus();
  published = [];
  wantedHere = [];
  dispatcher = newReplica(true);
  other = newReplica(false);
});

afterEach(async () => {
  await dispatcher.previews.close();
  await other.previews.close();
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

test('no preview crosses while no socket elsewhere wants one', async () => {
  await look();
  show('ada');
  expect(published).toEqual([]);
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
