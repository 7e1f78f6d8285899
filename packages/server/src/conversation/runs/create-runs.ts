import type { Timer } from '../../lib/async/timer.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { Step } from '../../platform/database/procedure.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Ownership } from '../../platform/ownership/ownership.ts';
import type { StreamLog } from '../../platform/stream-log/stream-log.ts';
import type { AgentRunner } from '../agent/agent-run.ts';
import type { Agents } from '../agent/agents.ts';
import type { GraphStates } from '../agent/graph-state.ts';
import type { Journal } from '../journal/journal.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { RunAdmission } from './run-admission.ts';
import { RunClaimStore } from './run-claim-store.ts';
import { RunEnding } from './run-ending.ts';
import { RunEnds } from './run-ends.ts';
import { RunExecutor, type RunExecutorOptions } from './run-executor.ts';
import { RunIntake, type RunIntakeOptions } from './run-intake.ts';
import { RunRecovery } from './run-recovery.ts';
import { RunScheduler } from './run-scheduler.ts';
import { RunStarts } from './run-starts.ts';
import { RunStop } from './run-stop.ts';
import { RunStore } from './run-store.ts';
import { RunWebhooks, type WebhookCaller } from './run-webhooks.ts';
import { RunWork } from './run-work.ts';
import { RunWorker } from './run-worker.ts';
import { Runs } from './runs.ts';
import { ThreadsOfRuns } from './threads-of-runs.ts';

export interface RunsDependencies {
  database: Database<ConversationTables>;
  ownership: Pick<Ownership, 'hold'>;
  bus: Bus;
  jobs: Pick<Jobs, 'register' | 'enqueue' | 'wake'>;
  streamLog: StreamLog;
  access: Pick<ThreadAccess, 'require'>;
  agents: Pick<Agents, 'resolve'>;
  modelNames: RunIntakeOptions['modelNames'];
  customAgent: RunIntakeOptions['customAgent'];
  states: Pick<GraphStates, 'current' | 'rollback'>;
  journal: Pick<Journal, 'recorderFor' | 'deleteRun' | 'clearRun'>;
  runner: AgentRunner;
  /** As a user deletes a thread. */
  deleteThread: (owner: Owner, threadId: string) => Promise<void>;
  /** Part of the unit that deletes a run: what hangs on it beside its events. */
  forgetFeedback: (
    trx: WriteTransaction<ConversationTables>,
    run: { threadId: string; runId: string },
  ) => Promise<void>;
  webhookCaller: WebhookCaller | null;
  /** Stops what a run has begun on the pool. */
  stopTasks?: RunExecutorOptions['stopTasks'];
  /** Somebody who follows the ends of runs: part of the unit, and after the commit. */
  follower?: {
    plan: (run: RunRow) => Step[];
    wake: (run: RunRow) => void;
  };
  clock: Clock;
  timer?: Timer;
  log: { warn(details: object, message: string): void; error(details: object, message: string): void };
  options: RunsConfiguration;
}

export interface RunsConfiguration {
  /** Runs at work at the same time. */
  slots: number;
  timeLimitMs: number;
  onRecovery: 'resume' | 'fail';
  limits: RunIntakeOptions['limits'];
}

/** Everything about runs, put together. */
export function createRuns(dependencies: RunsDependencies): Runs {
  const { database, ownership, bus, streamLog, journal, states, clock, log, options } = dependencies;
  const timed = { clock, ...(dependencies.timer && { timer: dependencies.timer }) };
  const store = new RunStore(database);
  const claims = new RunClaimStore(database);
  const ends = new RunEnds();
  const starts = new RunStarts();
  const onFault = (error: unknown): void => log.error({ err: error }, 'Runs could not be looked after');

  const threads = new ThreadsOfRuns({ store, deleteThread: dependencies.deleteThread, onFault });
  const webhooks = new RunWebhooks({
    jobs: dependencies.jobs,
    caller: dependencies.webhookCaller,
    find: (runId) => claims.find(runId),
    valuesOf: (run) => runs.valuesOf(run),
    deleteThread: (run) => threads.delete(run),
    clock,
  });
  const onEnded = (run: RunRow): void => {
    work.ended(run);
    if (run.webhook !== null) webhooks.wake();
    dependencies.follower?.wake(run);
    threads.ended(run);
  };
  const ending = new RunEnding({
    database,
    streamLog,
    ends,
    clock,
    followUps: (run) => [...webhooks.plan(run), ...(dependencies.follower?.plan(run) ?? [])],
    onEnded,
  });
  const executor = new RunExecutor({
    claims,
    ending,
    journal,
    runner: dependencies.runner,
    states,
    streamLog,
    stopTasks: dependencies.stopTasks,
    ...timed,
    rules: options,
    log,
  });
  const worker = new RunWorker({
    ownership,
    onReady: () => scheduler.pump(),
    onLost: (error) => {
      log.warn({ err: error }, 'The lease on the runs of this process was lost; they stop here');
      executor.stopAll(new RunStop({ kind: 'lost' }));
    },
    ...(dependencies.timer && { timer: dependencies.timer }),
  });
  const workerId = (): string | null => worker.id;
  const scheduler = new RunScheduler({
    executor,
    workerId,
    slots: options.slots,
    ...timed,
    onFault: (error, { run_id }) => log.warn({ err: error, runId: run_id }, 'A run could not be claimed'),
  });
  const recovery = new RunRecovery({
    store,
    claims,
    scheduler,
    executor,
    ownership,
    workerId,
    alongside: async () => {
      await work.announceMissed();
      await threads.sweep();
    },
    ...timed,
    onFault,
  });
  const work = new RunWork({
    scheduler,
    executor,
    recovery,
    worker,
    claims,
    store,
    ends,
    bus,
    now: () => toIso(clock()),
    onFault,
  });
  const runs = new Runs({
    database,
    store,
    access: dependencies.access,
    intake: new RunIntake({
      access: dependencies.access,
      agents: dependencies.agents,
      states,
      webhooks,
      waiting: scheduler,
      limits: options.limits,
      modelNames: dependencies.modelNames,
      customAgent: dependencies.customAgent,
      newRunId: () => newTimeOrderedId(clock()),
    }),
    admission: new RunAdmission({ database, ending, clock }),
    ending,
    ends,
    starts,
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
  return runs;
}

function keyOf({ thread_id, run_id, user_id }: RunRow): { threadId: string; runId: string; userId: string } {
  return { threadId: thread_id, runId: run_id, userId: user_id };
}
