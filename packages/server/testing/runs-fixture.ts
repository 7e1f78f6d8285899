import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import type { ThreadNews } from '@switchyard/contract/dispatch/push';
import type { WireState } from '../src/agents/state/wire-state.ts';
import { emptyState } from '../src/agents/state/wire-state.ts';
import { openEventStorage } from '../src/conversation/journal/create-journal.ts';
import { Journal } from '../src/conversation/journal/journal.ts';
import { conversationMigrations } from '../src/conversation/migrations.ts';
import { Removals } from '../src/conversation/removals.ts';
import { createRuns, type RunsConfiguration } from '../src/conversation/runs/create-runs.ts';
import { RunFollowers } from '../src/conversation/runs/ending/run-followers.ts';
import type { WebhookCaller } from '../src/conversation/runs/ending/run-webhooks.ts';
import type { RunCaller } from '../src/conversation/runs/intake/run-intake.ts';
import type { Runs } from '../src/conversation/runs/runs.ts';
import type { ConversationTables, RunRow, ThreadRow } from '../src/conversation/tables.ts';
import { ThreadAccess } from '../src/conversation/threads/thread-access.ts';
import { ThreadRemoval } from '../src/conversation/threads/thread-removal.ts';
import { ThreadStore } from '../src/conversation/threads/thread-store.ts';
import { AppError } from '../src/lib/app-error.ts';
import type { Owner } from '../src/lib/owner.ts';

import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { openDatabase } from '../src/platform/database/open.ts';
import type { Job, JobHandler, NewJob } from '../src/platform/jobs/jobs.ts';
import type { OfferQueues } from '../src/platform/offers/offer-queues.ts';
import { ownershipMigrations } from '../src/platform/ownership/migrations.ts';
import { Ownership } from '../src/platform/ownership/ownership.ts';
import type { OwnershipTables } from '../src/platform/ownership/tables.ts';
import { MemoryStreamLog } from '../src/platform/stream-log/memory-stream-log.ts';
import { Metrics } from '../src/platform/telemetry/metrics.ts';
import { aroundWrites } from './around-writes.ts';
import { LossyBus } from './lossy-bus.ts';
import { ManualTime } from './manual-time.ts';
import { ScriptedRunner } from './scripted-runner.ts';

/** The part of a gateway process that handles runs. It shares its database with others, and can be killed. */
export interface RunsProcess {
  runs: Runs;
  runner: ScriptedRunner;
  streamLog: MemoryStreamLog;
  /** Does what its user does. */
  deleteThread(threadId: string): Promise<void>;
  /** Has the effect of `kill -9`: nothing is written and nothing is given back. */
  kill(): void;
  /** The next units fail. With `afterCommit` they are written all the same, and only the result is lost. */
  failWrites(count: number, how: { error: unknown; afterCommit?: boolean }): void;
  close(): Promise<void>;
}

export interface ProcessOptions extends Partial<RunsConfiguration> {
  webhookCaller?: WebhookCaller | null;
  /** The only process that may use the database: what earlier processes held is free. */
  isAlone?: boolean;
  /** Its own time, for a process that stands still while others continue. */
  time?: ManualTime;
}

/** The line of waiting runs that a process shares with others. */
export interface ProcessOffers {
  offers: OfferQueues;
  close(): void;
}

export interface RunsFixture {
  database: Database<ConversationTables>;
  time: ManualTime;
  /** Saved states by thread, and by checkpoint. */
  states: Map<string, WireState>;
  rolledBack: string[];
  /** Jobs that wait. */
  jobs: NewJob[];
  /** Runs the waiting jobs. A job is removed when it has succeeded. */
  runJobs(attempt?: number): Promise<void>;
  /** The bus that the processes share. */
  bus: LossyBus;
  /** The metrics that the processes share. */
  metrics: Metrics;
  logged: { details: object; message: string }[];
  /** The news that the owners of runs received. */
  told: { userId: string; news: ThreadNews }[];
  start(changes?: ProcessOptions): Promise<RunsProcess>;
  thread(threadId: string, userId?: string | null): Promise<string>;
  run(runId: string): Promise<RunRow | undefined>;
  threadRow(threadId: string): Promise<ThreadRow | undefined>;
  /** Lets time pass, second by second, until the promise is settled. */
  passUntil<Value>(promise: Promise<Value>): Promise<Value>;
  /** Resolves when the threads that were deleted with their runs are gone. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const alice: RunCaller = { userId: 'alice', mount: '/api/langgraph' };
export const bob: RunCaller = { userId: 'bob', mount: '/api/langgraph' };
export const carol: RunCaller = { userId: 'carol', mount: '/api/langgraph' };

export function hello(more: Partial<RunCreate> = {}): RunCreate {
  return { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'hello' }] }, ...more };
}

const standard: RunsConfiguration = {
  slots: 10,
  timeLimitMs: 60_000,
  givesTitles: true,
  onRecovery: 'resume',
  limits: { waiting: 1_000, waitingPerUser: 100, recursion: { standard: 100, max: 1_000 } },
};

/** Runs over a database in memory with an agent whose behaviour the test sets. */
export async function openRunsFixture(
  connect: () => Promise<Database<unknown>> = oneInMemory(),
  openOffers: () => Promise<ProcessOffers | null> = async () => null,
): Promise<RunsFixture> {
  const opened = await connect();
  await migrate(opened, 'ownership', ownershipMigrations);
  await migrate(opened, 'conversation', conversationMigrations);
  const database = opened.withTables<ConversationTables>();
  const fixtureTime = new ManualTime();
  const bus = new LossyBus();
  const states = new Map<string, WireState>();
  const rolledBack: string[] = [];
  const jobs: NewJob[] = [];
  const handlers = new Map<string, JobHandler>();
  const logged: RunsFixture['logged'] = [];
  const told: RunsFixture['told'] = [];
  const deleting: Promise<void>[] = [];
  const processes = new Set<RunsProcess>();
  const metrics = new Metrics({ version: 'test' });
  const threads = new ThreadStore(database);
  const note = (details: object, message: string): void => void logged.push({ details, message });

  const start: RunsFixture['start'] = async ({
    webhookCaller = null,
    isAlone = false,
    time = fixtureTime,
    ...changes
  } = {}) => {
    const severed = severable(await connect());
    const ownership = new Ownership({
      database: severed.database.withTables<OwnershipTables>(),
      timer: time.timer,
      steadyClock: time.now,
    });
    if (isAlone) await ownership.freeAll();
    const offers = await openOffers();
    const own = severed.database.withTables<ConversationTables>();
    const runner = new ScriptedRunner();
    const streamLog = new MemoryStreamLog({ clock: time.now, timer: time.timer });
    const journal = new Journal({
      storage: openEventStorage({ backend: 'db', database: own, home: '/nowhere' }),
      maxTraceBytes: 10_240,
      trackTokens: true,
      now: time.now,
      onFlushFailed: () => undefined,
    });
    const removals = new Removals();
    removals.register({ forgetThread: (trx, threadId) => journal.deleteThread(trx, threadId) });
    const removal = new ThreadRemoval({
      store: new ThreadStore(own),
      removals,
      clock: time.now,
      log: { warn: note },
    });
    const deleteThread = async (owner: Owner, threadId: string): Promise<void> => {
      const thread = await new ThreadAccess(new ThreadStore(own)).requireRecord(owner, threadId);
      await removal.remove(thread);
    };
    const runs: Runs = createRuns({
      database: own,
      ownership,
      bus,
      traces: null,
      offers: offers?.offers ?? null,
      jobs: {
        register: (kind, handler) => handlers.set(kind, handler),
        enqueue: async (_trx, job) => void jobs.push(job),
        wake: () => undefined,
        countWaiting: async () => jobs.length,
      },
      streamLog,
      access: new ThreadAccess(new ThreadStore(own)),
      agents: {
        resolve: async (_owner, named) => {
          if (named === 'nobody') throw new AppError('assistant_not_found');
          return { assistantId: `id-of-${named}`, graphId: named, config: {}, context: {}, metadata: {} };
        },
      },
      modelNames: ['switchyard-demo'],
      customAgent: async () => {
        throw new AppError('agent_not_found');
      },
      hasCheckpoint: async (_trx, { id }) => states.has(id),
      states: {
        current: async ({ threadId }, { checkpoint } = {}) => {
          const wanted = checkpoint?.checkpoint_id;
          return wanted ? (states.get(wanted) ?? null) : (states.get(threadId) ?? emptyState);
        },
        lastSettings: async () => null,
        rollback: async (_threadId, runId) => void rolledBack.push(runId),
      },
      journal,
      runner,
      deleteThread: (owner, threadId) => {
        const done = deleteThread(owner, threadId);
        deleting.push(done);
        return done;
      },
      forgetFeedback: async () => undefined,
      followers: new RunFollowers(),
      tell: (userId, news) => void told.push({ userId, news }),
      removals,
      webhookCaller,
      metrics,
      measureCall: () => undefined,
      clock: time.now,
      timer: time.timer,
      log: { warn: note, error: note },
      options: { ...standard, ...changes },
    });
    await runs.open();
    const started: RunsProcess = {
      runs,
      runner,
      streamLog,
      deleteThread: (threadId) => deleteThread({ user: 'alice' }, threadId),
      failWrites: severed.failWrites,
      kill: () => {
        severed.cut();
        offers?.close();
        processes.delete(started);
      },
      close: async () => {
        processes.delete(started);
        await runs.close();
        await ownership.close();
        offers?.close();
      },
    };
    processes.add(started);
    return started;
  };

  return {
    database,
    bus,
    metrics,
    time: fixtureTime,
    states,
    rolledBack,
    jobs,
    runJobs: async (attempt = 1) => {
      const signal = new AbortController().signal;
      for (const { kind, key = null, payload } of jobs.splice(0)) {
        const handler = handlers.get(kind);
        const job: Job = { id: 'job', kind, key, payload, attempt, signal };
        await (handler ? handler(job) : Promise.resolve());
      }
    },
    logged,
    told,
    start,
    thread: async (threadId, userId = 'alice') => {
      await threads.create(
        { user: userId ?? 'nobody' },
        { threadId, at: new Date(fixtureTime.now()).toISOString() },
      );
      if (userId === null)
        await database.write((trx) =>
          trx.updateTable('threads').set({ user_id: null }).where('thread_id', '=', threadId).execute(),
        );
      return threadId;
    },
    run: (runId) =>
      database.read.selectFrom('runs').selectAll().where('run_id', '=', runId).executeTakeFirst(),
    threadRow: (threadId) =>
      database.read.selectFrom('threads').selectAll().where('thread_id', '=', threadId).executeTakeFirst(),
    passUntil: async (promise) => {
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
      };
      promise.then(settle, settle);
      while (!isSettled) {
        for (let turn = 0; turn < 20 && !isSettled; turn += 1) await nextTurn();
        if (!isSettled) fixtureTime.advance(1_000);
      }
      return promise;
    },
    settled: async () => {
      await Promise.all(deleting);
    },
    close: async () => {
      for (const each of [...processes]) await each.close();
      metrics.close();
      await bus.close();
      await opened.close();
    },
  };
}

/** SQLite has one process. The processes of a test share its connection. */
function oneInMemory(): () => Promise<Database<unknown>> {
  let opened: Promise<Database<unknown>> | undefined;
  return () => {
    opened ??= openDatabase({ backend: 'memory' });
    return opened;
  };
}

type FailWrites = RunsProcess['failWrites'];

/** A connection to the database that can be cut: after that no query gets a result. */
function severable(database: Database<unknown>): {
  database: Database<unknown>;
  cut: () => void;
  failWrites: FailWrites;
} {
  let isCut = false;
  let failing: { left: number; error: unknown; afterCommit?: boolean } = { left: 0, error: undefined };
  const never = new Promise<never>(() => undefined);
  const cuttable = aroundWrites(database, async (write) => {
    if (isCut) return never;
    if (failing.left === 0) return write();
    failing.left -= 1;
    if (failing.afterCommit) await write();
    throw failing.error;
  });
  const connection: Database<unknown> = new Proxy(database, {
    get(target, name) {
      if (name === 'withTables') return () => connection;
      if (name === 'write' || name === 'writeOne') return cuttable[name];
      if (name === 'read' && isCut) return deadEnd(never);
      return Reflect.get(target, name, target) as unknown;
    },
  });
  return {
    database: connection,
    cut: () => {
      isCut = true;
    },
    failWrites: (left, how) => {
      failing = { left, ...how };
    },
  };
}

/** A query whose every step leads to a promise that never settles. */
function deadEnd(never: Promise<never>): unknown {
  return new Proxy(() => undefined, {
    get: (_target, name) => (name === 'then' ? never.then.bind(never) : deadEnd(never)),
    apply: () => deadEnd(never),
  });
}

/** Returns what is wrong while no work is in progress: no run may be forgotten, and threads agree with their runs. */
export async function expectAgreement({ database }: Pick<RunsFixture, 'database'>): Promise<string[]> {
  const faults: string[] = [];
  const runs = await database.read.selectFrom('runs').selectAll().execute();
  const threads = await database.read.selectFrom('threads').selectAll().execute();
  const leases = await database
    .withTables<OwnershipTables>()
    .read.selectFrom('leases')
    .select(['key', 'holder'])
    .execute();
  const live = new Set(leases.filter(({ holder }) => holder !== null).map(({ key }) => key));
  for (const run of runs) {
    const isOpen = run.status === 'pending' || run.status === 'running';
    if (isOpen !== (run.ended_at === null))
      faults.push(`${run.run_id} is ${run.status}, ended ${run.ended_at}`);
    if (isOpen && run.worker_id !== null && !live.has(`runs:${run.worker_id}`))
      faults.push(`${run.run_id} is under a lease that no process holds`);
  }
  for (const thread of threads) {
    const isOpen = runs.some((run) => run.thread_id === thread.thread_id && run.ended_at === null);
    if (isOpen !== (thread.status === 'busy'))
      faults.push(`${thread.thread_id} is ${thread.status}, open: ${isOpen}`);
  }
  return faults;
}
