import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { ManualTime } from '../../../testing/manual-time.ts';
import { openCheckpointer } from '../../agents/checkpoints/checkpointer.ts';
import { checkpointMigrations } from '../../agents/checkpoints/migrations.ts';
import { ThreadCheckpoints } from '../../agents/checkpoints/thread-checkpoint-store.ts';
import { loadLangchain } from '../../agents/langchain.ts';
import { GraphStates } from '../../agents/state/graph-state.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import { mountRules } from '../mount-rules.ts';
import { Removals } from '../removals.ts';
import { requireNoOpenRun } from '../runs/records/run-store.ts';
import type { ConversationTables } from '../tables.ts';
import { ThreadAccess } from './thread-access.ts';
import { ThreadRemoval } from './thread-removal.ts';
import { snapshotOf } from './thread-snapshot-store.ts';
import { ThreadStates } from './thread-states.ts';
import { setBusy, settle, ThreadStore } from './thread-store.ts';
import { type ThreadRequest, Threads } from './threads.ts';

const anna = { user: 'anna' };
const at = '2030-01-01T00:00:00.000Z';
const rules = mountRules['/api'];
const plain: ThreadRequest = {
  threadId: null,
  assistantId: null,
  metadata: {},
  ifExists: null,
  supersteps: [],
};

let database: Database<ConversationTables>;
let store: ThreadStore;
let access: ThreadAccess;
let checkpoints: ThreadCheckpoints;
let states: GraphStates;
let made = 0;

/** States without a graph: every saved state, read and written by the real checkpointer. */
beforeAll(async () => {
  const opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'checkpoints', checkpointMigrations);
  await migrate(opened, 'conversation', conversationMigrations);
  database = opened.withTables<ConversationTables>();
  store = new ThreadStore(database);
  access = new ThreadAccess(store);
  checkpoints = new ThreadCheckpoints(opened);
  const checkpointer = await loadLangchain(() => openCheckpointer(opened));
  const noGraph = async () => Promise.reject(new AppError('assistant_not_found'));
  states = new GraphStates({
    agents: { graph: noGraph, isFromFile: () => false },
    checkpointer: async () => checkpointer,
    settingsOfRun: async () => null,
  });
});
afterAll(() => database.close());

interface Surroundings {
  stops?: ('stopped' | 'still_running')[];
  busyUnits?: number;
  filesFail?: boolean;
}

function surroundings({ stops = [], busyUnits = 0, filesFail = false }: Surroundings = {}) {
  const time = new ManualTime();
  const log: string[] = [];
  const removed: string[] = [];
  let refusals = busyUnits;
  const removals = new Removals();
  removals.register({
    stopWork: async () => stops.shift() ?? 'stopped',
    forgetThread: async (trx, threadId) => {
      refusals -= 1;
      if (refusals >= 0) throw new AppError('thread_busy');
      await checkpoints.delete(trx, threadId);
    },
    removeFiles: async ({ thread_id }) => {
      if (filesFail) throw new Error('the disk says no');
      removed.push(thread_id);
    },
  });
  const removal = new ThreadRemoval({
    store,
    removals,
    clock: time.now,
    log: { warn: (_fields, message) => void log.push(message) },
  });
  const common = { store, access, states, graphFor: async () => null, clock: time.now };
  const newId = () => {
    made += 1;
    return `thread-${made}`;
  };
  const threads = new Threads({ ...common, removal, checkpoints, requireNoOpenRun, newId });
  return { threads, removal, log, removed, threadStates: new ThreadStates(common) };
}

async function save(threadId: string, values: Record<string, unknown>): Promise<void> {
  await states.update({ threadId, graphId: null, userId: 'anna' }, { values });
}

describe('deleting', () => {
  test('waits for work that begins in between, and says so when it does not end', async () => {
    const { threads, removed } = surroundings({ busyUnits: 2 });
    const { thread_id } = await threads.create(anna, plain, rules);
    await threads.delete(anna, thread_id);
    expect(removed).toEqual([thread_id]);

    const endless = surroundings({ busyUnits: 99 });
    const other = await endless.threads.create(anna, plain, rules);
    await expect(endless.threads.delete(anna, other.thread_id)).rejects.toMatchObject({ status: 409 });
    expect(await store.find(other.thread_id)).toBeDefined();
  });

  test('is refused while work does not stop, and changes nothing', async () => {
    const { threads, removed } = surroundings({ stops: ['still_running'] });
    const { thread_id } = await threads.create(anna, plain, rules);
    await save(thread_id, { title: 'Here' });
    await expect(threads.delete(anna, thread_id)).rejects.toMatchObject({ code: 'thread_busy' });
    expect(removed).toEqual([]);
    expect(await checkpoints.exist(thread_id)).toBe(true);
  });

  test('removes the checkpoints too', async () => {
    const { threads } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    await save(thread_id, { title: 'Here' });
    await threads.delete(anna, thread_id);
    expect(await checkpoints.exist(thread_id)).toBe(false);
  });

  test('leaves files that cannot be removed to the next start', async () => {
    const failing = surroundings({ filesFail: true });
    const { thread_id } = await failing.threads.create(anna, plain, rules);
    await failing.threads.delete(anna, thread_id);
    expect(failing.log).toEqual([
      'Files of a deleted thread could not be removed; the next start tries again',
    ]);
    const next = surroundings();
    await next.removal.finish();
    expect(next.removed).toContain(thread_id);
    await next.removal.finish();
    expect(next.removed.filter((id) => id === thread_id)).toHaveLength(1);
  });
});

describe('reading', () => {
  test('shows a thread that only the agent runtime knows, without the runtime’s internal fields', async () => {
    const { threads, threadStates } = surroundings();
    await save('untracked', { title: 'Old', messages: [] });
    const thread = await threads.get(anna, 'untracked');
    expect(thread).toMatchObject({ thread_id: 'untracked', status: 'idle', values: { title: 'Old' } });
    expect(thread.metadata).toEqual({});
    const state = await threadStates.current(anna, 'untracked');
    expect(state).toMatchObject({ values: { title: 'Old' }, checkpoint: { thread_id: 'untracked' } });
    await expect(
      threads.patch(anna, 'untracked', { title: null, metadata: {}, ttl: null, rules }),
    ).rejects.toMatchObject({
      status: 404,
    });
  });

  test('shows the current state of a busy thread, and for an idle one the state at its last end', async () => {
    const { threads } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    const stamp = { graph_id: 'gone', assistant_id: 'gone' };
    await database.write((trx, lastly) =>
      setBusy(trx, thread_id, { lastly, stamp, assistant: stamp.assistant_id, at }),
    );
    await save(thread_id, { step: 1 });
    expect(await threads.get(anna, thread_id)).toMatchObject({ status: 'busy', values: { step: 1 } });
    const end = { values: { step: 1, done: true }, next: [], interrupts: {}, checkpointId: null };
    await database.write((trx, lastly) =>
      settle(trx, thread_id, { lastly, status: 'idle', snapshot: snapshotOf(end), at }),
    );
    await save(thread_id, { step: 2 });
    expect((await threads.get(anna, thread_id)).values).toEqual({ step: 1, done: true });
  });

  test('has the title of the new state immediately after the state was changed', async () => {
    const { threads, threadStates } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    const change = { values: { title: 'Named' }, asNode: undefined, checkpoint: undefined, rules };
    const state = await threadStates.update(anna, thread_id, change);
    expect(state).toMatchObject({ values: { title: 'Named' }, next: [] });
    expect(state.checkpoint?.id).toBe(state.checkpoint_id);
    expect(await store.find(thread_id)).toMatchObject({ display_name: 'Named', status: 'idle' });
  });

  test('a change of the state is refused while a run is under way', async () => {
    const { threads, threadStates } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    const stamp = { graph_id: 'agent', assistant_id: 'agent' };
    await database.write((trx, lastly) =>
      setBusy(trx, thread_id, { lastly, stamp, assistant: stamp.assistant_id, at }),
    );
    const change = { values: { title: 'Named' }, asNode: undefined, checkpoint: undefined, rules };
    await expect(threadStates.update(anna, thread_id, change)).rejects.toMatchObject({ status: 409 });
    await expect(threads.prune(anna, [thread_id], 'keep_latest')).rejects.toMatchObject({ status: 409 });
    expect(await checkpoints.exist(thread_id)).toBe(false);
  });

  test('does not prune a thread in which a run has begun since its row was read', async () => {
    const { threads, threadStates } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    for (const title of ['older', 'newer']) await save(thread_id, { title });
    const begun = { ...emptyRun, run_id: `run-of-${thread_id}`, thread_id, ended_at: null };
    await database.write((trx) => trx.insertInto('runs').values(begun).execute());
    await expect(threads.prune(anna, [thread_id], 'keep_latest')).rejects.toMatchObject({
      code: 'thread_busy',
    });
    expect(await listed(threadStates.history(anna, thread_id, { limit: 10, rules }))).toHaveLength(2);
  });

  test('shows messages under /api only in the newest entry, even when the page does not begin with it', async () => {
    const { threads, threadStates } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    for (const text of ['one', 'two', 'three']) await save(thread_id, { messages: [text], title: text });
    const entries = await listed(threadStates.history(anna, thread_id, { limit: 10, rules }));
    expect(entries.map(({ values }) => values)).toEqual([
      { messages: ['three'], title: 'three' },
      { title: 'two' },
      { title: 'one' },
    ]);
    expect(entries.map(({ metadata }) => Object.keys(metadata))).toEqual([['step'], ['step'], ['step']]);
    const before = entries[0]?.checkpoint_id ?? '';
    const older = await listed(threadStates.history(anna, thread_id, { limit: 1, before, rules }));
    expect(older.map(({ values }) => values)).toEqual([{ title: 'two' }]);
    const platform = { limit: 10, rules: mountRules['/api/langgraph'] };
    const full = await listed(threadStates.history(anna, thread_id, platform));
    expect(full.map(({ values }) => values.messages)).toEqual([['three'], ['two'], ['one']]);
    expect(full[0]?.metadata).toMatchObject({ source: 'update' });
  });

  test('names the checkpoint that does not exist', async () => {
    const { threads, threadStates } = surroundings();
    const { thread_id } = await threads.create(anna, plain, rules);
    const requested = { checkpoint: { checkpoint_id: 'nowhere' }, subgraphs: false };
    await expect(threadStates.at(anna, thread_id, requested)).rejects.toMatchObject({
      code: 'checkpoint_not_found',
      message: 'Checkpoint nowhere not found',
    });
  });
});

async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
