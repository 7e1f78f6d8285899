import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { MemoryBus } from '../../platform/bus/memory-bus.ts';
import { DispatchOrders, type Order } from './dispatch-orders.ts';

/** An answer with the name of the replica that has given it. */
const tested = (replica: string) => ({
  outcome: { ok: false as const, latencyMs: 1, cause: 'timed_out' as const, message: replica },
  untold: null,
});

const time = new ManualTime();
let bus: MemoryBus;
let replicas: DispatchOrders[];

beforeEach(() => {
  bus = new MemoryBus();
  replicas = [];
});

afterEach(async () => {
  for (const replica of replicas) await replica.close();
  await bus.close();
});

async function newReplica(self: string, { isDispatcher = false }: { isDispatcher?: boolean } = {}) {
  const orders = new DispatchOrders({
    bus,
    self,
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
  const carriedOut: [Order, string][] = [];
  await orders.start({
    isDispatcher: () => isDispatcher,
    carryOut: async (order, from) => {
      carriedOut.push([order, from]);
      return tested(self);
    },
  });
  replicas.push(orders);
  return { orders, carriedOut };
}

test('an order is carried out by the dispatcher alone', async () => {
  const asking = await newReplica('a');
  const dispatcher = await newReplica('b', { isDispatcher: true });
  const third = await newReplica('c');
  asking.orders.send({ kind: 'stop', taskId: 't' });
  await expect.poll(() => dispatcher.carriedOut).toEqual([[{ kind: 'stop', taskId: 't' }, 'a']]);
  expect(asking.carriedOut).toEqual([]);
  expect(third.carriedOut).toEqual([]);
});

test('the answer of the dispatcher reaches the replica that has asked', async () => {
  const { orders } = await newReplica('a');
  await newReplica('b', { isDispatcher: true });
  expect(await orders.ask({ kind: 'refresh' }, { waitMs: 1_000 })).toEqual(tested('b'));
});

test('a question without a dispatcher ends in time, without an answer', async () => {
  const { orders } = await newReplica('a');
  const asked = orders.ask({ kind: 'refresh' }, { waitMs: 1_000 });
  time.advance(1_000);
  expect(await asked).toBeNull();
});

test('a question ends when the replica closes', async () => {
  const { orders } = await newReplica('a');
  const asked = orders.ask({ kind: 'refresh' }, { waitMs: 1_000 });
  await orders.close();
  expect(await asked).toBeNull();
});
