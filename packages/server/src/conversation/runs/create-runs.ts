import type { Agents } from '../../agents/loading/agents.ts';
import type { AgentRunner } from '../../agents/run-contract/agent-run.ts';
import type { GraphStates } from '../../agents/state/graph-state.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { OfferQueues } from '../../platform/offers/offer-queues.ts';
import type { Ownership } from '../../platform/ownership/ownership.ts';
import { isToldByServer } from '../../platform/redis/redis-fault.ts';
import { traceparentWithin } from '../../platform/telemetry/trace-ids.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { Journal } from '../journal/journal.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { traceparentOfRun } from '../timeline/run-timeline-store.ts';
import { LateEnds } from './ending/late-ends.ts';
import { RunEnding } from './ending/run-ending.ts';
import { RunEnds } from './ending/run-ends.ts';
import type { RunFollowers } from './ending/run-followers.ts';
import { RunWebhooks, type WebhookCaller } from './ending/run-webhooks.ts';
import { OfferedRuns, type RunOffer } from './execution/offered-runs.ts';
import { RunExecutor, type RunExecutorOptions } from './execution/run-executor.ts';
import { RunRecovery, RunWorker } from './execution/run-leases.ts';
import type { RunLine } from './execution/run-line.ts';
import { RunMetrics } from './execution/run-metrics.ts';
import { RunScheduler } from './execution/run-scheduler.ts';
import { RunWork } from './execution/run-work.ts';
import { type HasCheckpoint, RunAdmission, type RunAdmissionOptions } from './intake/run-admission.ts';
import { RunIntake, type RunIntakeOptions } from './intake/run-intake.ts';
import { RunClaimStore } from './records/run-claim-store.ts';
import { RunNews } from './records/run-news.ts';
import { RunStarts } from './records/run-starts.ts';
import { RunStop } from './records/run-stop.ts';
import { RunStore, settingsOfRun } from './records/run-store.ts';
import { ThreadsOfRuns } from './records/threads-of-runs.ts';
import { valuesOfRun } from './records/values-of-run.ts';
import { Runs } from './runs.ts';

export interface RunsDependencies
  extends Pick<
    ConversationParts,
    'database' | 'bus' | 'streamLog' | 'tell' | 'removals' | 'metrics' | 'measureCall' | 'traces' | 'clock'
  > {
  ownership: Pick<Ownership, 'hold'>;
  /** Hands runs that wait to one replica at a time; null when this process works alone. */
  offers: Pick<OfferQueues, 'queue' | 'startTags'> | null;
  jobs: Pick<Jobs, 'register' | 'enqueue' | 'wake' | 'countWaiting'>;
  access: Pick<ThreadAccess, 'require' | 'requireKnown'>;
  agents: Pick<Agents, 'resolve'>;
  modelNames: RunIntakeOptions['modelNames'];
  customAgent: RunIntakeOptions['customAgent'];
  states: Pick<GraphStates, 'current' | 'lastSettings' | 'rollback'>;
  hasCheckpoint: HasCheckpoint;
  journal: Pick<Journal, 'recorderFor' | 'deleteRun' | 'clearRun'>;
  runner: AgentRunner;
  /** Deletes a thread as a user would. */
  deleteThread: (owner: Owner, threadId: string) => Promise<void>;
  /** Part of the unit that deletes a run: its data besides its events. */
  forgetFeedback: (
    trx: WriteTransaction<ConversationTables>,
    run: { threadId: string; runId: string },
  ) => Promise<void>;
  webhookCaller: WebhookCaller | null;
  /** Stops the tasks that a run has begun on the pool. */
  stopTasks?: RunExecutorOptions['stopTasks'];
  followers: RunFollowers;
  timer?: Timer;
  log: Pick<Log, 'warn' | 'error'>;
  options: RunsConfiguration;
}

export interface RunsConfiguration {
  /** The number of runs that work at the same time. */
  slots: number;
  timeLimitMs: number;
  onRecovery: 'resume' | 'fail';
  /** True when a thread whose agent has written no title gets one. */
  givesTitles: boolean;
  limits: RunIntakeOptions['limits'] & RunAdmissionOptions['limits'];
}

/** Creates everything about runs. */
export function createRuns(dependencies: RunsDependencies): Runs {
  const { database, streamLog, states, followers, removals, clock, log, options } = dependencies;
  const { access, journal } = dependencies;
  const timed = { clock, ...(dependencies.timer && { timer: dependencies.timer }) };
  const store = new RunStore(database);
  const claims = new RunClaimStore(database);
  const ends = new RunEnds();
  const starts = new RunStarts();
  const onFault = (error: unknown): void => log.error({ err: error }, 'The regular check of the runs failed');

  const threads = new ThreadsOfRuns({ store, deleteThread: dependencies.deleteThread, onFault });
  const webhooks = new RunWebhooks({
    ...dependencies,
    caller: dependencies.webhookCaller,
    find: (runId) => claims.find(runId),
    valuesOf: (run) => valuesOfRun(states, run),
    authUserOf: async (runId) => (await settingsOfRun(database.read, { runId }))?.authUser ?? null,
    deleteThread: (run) => threads.delete(run),
    traceparentOf:
      dependencies.traces &&
      (async (runId) => traceparentWithin(await traceparentOfRun(database.read, runId), runId)),
    clock,
  });
  const news = new RunNews(dependencies.tell);
  const ending = new RunEnding({
    database,
    streamLog,
    ends,
    clock,
    followers,
    news,
    givesTitles: options.givesTitles,
  });
  const runMetrics = new RunMetrics(dependencies);
  const work = createRunWork(dependencies, {
    store,
    claims,
    starts,
    ends,
    ending,
    news,
    threads,
    runMetrics,
    timed,
    onFault,
  });
  for (const follower of [work, webhooks, threads, runMetrics]) followers.register(follower);
  const runs = new Runs({
    database,
    store,
    access,
    intake: new RunIntake({
      access,
      agents: dependencies.agents,
      states,
      webhooks,
      limits: options.limits,
      modelNames: dependencies.modelNames,
      customAgent: dependencies.customAgent,
      newRunId: () => newTimeOrderedId(clock()),
    }),
    admission: new RunAdmission({
      database,
      hasCheckpoint: dependencies.hasCheckpoint,
      ending,
      line: work.waiting,
      limits: options.limits,
      clock,
    }),
    ending,
    ends,
    starts,
    news,
    work,
    states,
    streamLog,
    forgetRun: async (trx, run) => {
      await journal.deleteRun(trx, keyOf(run));
      await dependencies.forgetFeedback(trx, keyOf(run));
    },
    clearRun: (run) => journal.clearRun(keyOf(run)),
    ...timed,
  });
  removals.register({
    stopWork: (threadId) => runs.stopWork(threadId),
    forgetThread: runs.forgetRuns,
  });
  return runs;
}

interface RunParts {
  store: RunStore;
  claims: RunClaimStore;
  starts: RunStarts;
  ends: RunEnds;
  ending: RunEnding;
  news: RunNews;
  threads: ThreadsOfRuns;
  runMetrics: RunMetrics;
  timed: { clock: Clock; timer?: Timer };
  onFault: (error: unknown) => void;
}

/** The parts that work on runs in this process: the lease, the line, the executor and the recovery. */
function createRunWork(dependencies: RunsDependencies, parts: RunParts): RunWork {
  const { ownership, bus, streamLog, journal, states, runner, stopTasks, log, options } = dependencies;
  const { store, claims, starts, ends, ending, news, threads, runMetrics, timed, onFault } = parts;
  const executor = new RunExecutor({
    claims,
    ending,
    news,
    journal,
    runner,
    states,
    streamLog,
    stopTasks,
    meterOf: (row) => runMetrics.meterOf(row),
    ...timed,
    rules: options,
    isTraced: dependencies.traces !== null,
    log,
  });
  const worker = new RunWorker({ ownership, ...(timed.timer && { timer: timed.timer }) });
  const line = createLine(dependencies, { executor, worker, store, timed });
  runMetrics.watch({ executor, line });
  worker.listen({
    onReady: () => line.pump(),
    onLost: (error) => {
      log.warn({ err: error }, 'The lease on the runs of this process was lost; they stop here');
      executor.stopAll(new RunStop({ kind: 'lost' }));
    },
  });
  const recovery = new RunRecovery({
    store,
    claims,
    line,
    executor,
    ownership,
    worker,
    ...timed,
    onFault,
  });
  const now = (): string => toIso(timed.clock());
  const work = new RunWork({
    line,
    executor,
    recovery,
    worker,
    claims,
    store,
    starts,
    ends,
    bus,
    now,
    onFault,
  });
  recovery.alsoSweep(() => work.announceMissed());
  const lateEnds = new LateEnds({ streamLog, claims, states, clock: timed.clock });
  recovery.alsoSweep(() => lateEnds.sweep());
  recovery.alsoSweep(() => threads.sweep());
  // Last, because they need what other processes share.
  recovery.alsoSweep(() => work.announceWorker());
  recovery.alsoSweep(() => line.sweep());
  return work;
}

/** Runs wait in the memory of this process, or in a line that all replicas share. */
function createLine(
  { offers, log, options }: RunsDependencies,
  parts: Pick<RunParts, 'store' | 'timed'> & { executor: RunExecutor; worker: RunWorker },
): RunLine {
  const onFault = (error: unknown, run?: { run_id: string }): void => {
    // The connection to Redis reports once that it is lost, or that Redis is full.
    if (offers && !run && isToldByServer(error)) return;
    log.warn({ err: error, ...(run && { runId: run.run_id }) }, 'A run could not be claimed');
  };
  const shared = { ...parts, ...parts.timed, slots: options.slots, onFault };
  if (!offers) return new RunScheduler(shared);
  const queue = offers.queue<RunOffer>('runs', (error) => onFault(error));
  return new OfferedRuns({ ...shared, queue, tags: offers.startTags('runs'), limits: options.limits });
}

function keyOf({ thread_id, run_id, user_id }: RunRow): { threadId: string; runId: string; userId: string } {
  return { threadId: thread_id, runId: run_id, userId: user_id };
}
