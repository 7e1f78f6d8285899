import {
  type Checkpoint,
  type CheckpointMetadata,
  emptyCheckpoint,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentFixture, openAgentFixture } from '../../../testing/agent-fixture.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { CheckpointTables } from '../checkpoints/tables.ts';
import { RunCheckpointer, type RunCheckpointerOptions } from './run-checkpointer.ts';

let fixture: AgentFixture;
let units: number;
let failures: number;
let step: number;
beforeEach(async () => {
  fixture = await openAgentFixture({});
  units = 0;
  failures = 0;
  step = 0;
});
afterEach(() => fixture.close());

const thread = { configurable: { thread_id: 't', checkpoint_ns: '' }, metadata: { run_id: 'r' } };

async function commit(part: UnitPart): Promise<void> {
  units += 1;
  await fixture.database.withTables<unknown>().write(part);
}

function open(options: Partial<RunCheckpointerOptions> = {}): RunCheckpointer {
  return new RunCheckpointer({
    saved: fixture.checkpointer,
    threadId: 't',
    isSync: false,
    commit,
    onFailure: () => {
      failures += 1;
    },
    ...options,
  });
}

function checkpointOf(
  values: Record<string, unknown>,
): [Checkpoint, CheckpointMetadata, Record<string, number>] {
  step += 1;
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, step]));
  const checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(step),
    channel_values: values,
    channel_versions: versions,
  };
  return [checkpoint, { source: 'loop', step, parents: {} }, {}];
}

async function storedValues(): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { checkpoint } of fixture.checkpointer.list(thread))
    values.push(checkpoint.channel_values);
  return values;
}

it('writes in one unit what comes in one turn of the event loop', async () => {
  const checkpointer = open();
  let config = await checkpointer.put(thread, ...checkpointOf({ x: 1 }));
  await checkpointer.putWrites(config, [['x', 2]], 'task');
  config = await checkpointer.put(config, ...checkpointOf({ x: 2 }));
  expect(await storedValues()).toEqual([]);
  await checkpointer.settled();
  expect(units).toBe(1);
  expect(await storedValues()).toEqual([{ x: 2 }, { x: 1 }]);
  expect(checkpointer.newestId).toBe(config.configurable?.checkpoint_id);
});

it('lets the graph continue while a unit is written, and puts what comes meanwhile into the next one', async () => {
  const gate = newDeferred<void>();
  const checkpointer = open({
    commit: async (step) => {
      if (units === 0) await gate.promise;
      await commit(step);
    },
  });
  let config = await checkpointer.put(thread, ...checkpointOf({ x: 1 }));
  const reached = checkpointer.reached();
  await new Promise(setImmediate);
  for (const x of [2, 3]) config = await checkpointer.put(config, ...checkpointOf({ x }));
  gate.resolve();
  await reached;
  expect(units).toBe(2);
  expect(await storedValues()).toEqual([{ x: 3 }, { x: 2 }, { x: 1 }]);
});

it('resolves with durability sync when the checkpoint is on disk', async () => {
  const checkpointer = open({ isSync: true });
  await checkpointer.put(thread, ...checkpointOf({ x: 1 }));
  expect(await storedValues()).toEqual([{ x: 1 }]);
});

it('stores the state as it was handed in', async () => {
  const checkpointer = open();
  const list = [{ id: 1 }];
  await checkpointer.put(thread, ...checkpointOf({ list }));
  list.push({ id: 2 });
  await checkpointer.settled();
  expect(await storedValues()).toEqual([{ list: [{ id: 1 }] }]);
});

it('shows the graph what it has handed in', async () => {
  const checkpointer = open();
  const config = await checkpointer.put(thread, ...checkpointOf({ x: 1 }));
  expect((await checkpointer.getTuple(thread))?.config.configurable).toEqual(config.configurable);
  await checkpointer.putWrites({ ...config, metadata: thread.metadata }, [['x', 2]], 'task');
  for await (const { pendingWrites } of checkpointer.list(thread)) {
    expect(pendingWrites).toEqual([['task', 'x', 2]]);
  }
  expect.assertions(2);
});

it('stores a value that the thread already has only once, even in a later run', async () => {
  const first = open();
  const config = await first.put(thread, ...checkpointOf({ messages: [{ id: 1 }] }));
  await first.settled();
  const later = open();
  await later.put(config, ...checkpointOf({ messages: [{ id: 1 }, { id: 2 }] }));
  await later.settled();
  const { read } = fixture.database.withTables<CheckpointTables>();
  const stored = await read.selectFrom('checkpoint_values').select('hash').execute();
  expect(stored).toHaveLength(2);
  expect(await storedValues()).toEqual([{ messages: [{ id: 1 }, { id: 2 }] }, { messages: [{ id: 1 }] }]);
});

it('reads an unchanged channel from a parent that was stored before', async () => {
  const first = open();
  const [checkpoint, ...rest] = checkpointOf({ big: 'value' });
  const config = await first.put(thread, checkpoint, ...rest);
  await first.settled();
  const later = open();
  const next = { ...checkpoint, id: uuid6(99), channel_values: { big: 'never looked at' } };
  await later.put(config, next, ...rest);
  await later.settled();
  expect(await storedValues()).toEqual([{ big: 'value' }, { big: 'value' }]);
});

describe('a write that fails', () => {
  it('is kept as the failure, is reported once, and nothing is written after it', async () => {
    const lost = new Error('not ours');
    const checkpointer = open({ commit: () => Promise.reject(lost) });
    const config = await checkpointer.put(thread, ...checkpointOf({ x: 1 }));
    await expect(checkpointer.settled()).rejects.toBe(lost);
    await checkpointer.put(config, ...checkpointOf({ x: 2 }));
    await checkpointer.putWrites(config, [['x', 1n]], 'task');
    await expect(checkpointer.settled()).rejects.toBe(lost);
    await expect(checkpointer.getTuple(thread)).rejects.toBe(lost);
    expect(checkpointer.failure).toEqual({ error: lost, isOfGraph: false });
    expect(failures).toBe(1);
    expect(await storedValues()).toEqual([]);
  });

  it('is the graph’s failure when its state has no stored form', async () => {
    const checkpointer = open();
    await checkpointer.put(thread, ...checkpointOf({ x: 10n }));
    expect(checkpointer.failure).toMatchObject({
      isOfGraph: true,
      error: { message: expect.stringContaining('bigint') },
    });
    expect(failures).toBe(1);
  });

  it('is a failure too when the parent cannot be read', async () => {
    const broken = new Error('disk');
    const saved = Object.create(fixture.checkpointer, { manifest: { value: () => Promise.reject(broken) } });
    const checkpointer = open({ saved });
    const parent = { ...thread, configurable: { ...thread.configurable, checkpoint_id: 'earlier' } };
    await checkpointer.put(parent, ...checkpointOf({ x: 1 }));
    await expect(checkpointer.settled()).rejects.toBe(broken);
  });
});

it('drops what comes after it was closed', async () => {
  const checkpointer = open();
  const config = await checkpointer.put(thread, ...checkpointOf({ x: 1 }));
  await checkpointer.close();
  await checkpointer.put(config, ...checkpointOf({ x: 2 }));
  await checkpointer.putWrites(config, [['x', 2]], 'task');
  await checkpointer.settled();
  expect(await storedValues()).toEqual([{ x: 1 }]);
});

it('refuses a graph that would delete its thread', async () => {
  await expect(open().deleteThread()).rejects.toThrow('cannot delete the thread');
});
