import { modelNames } from '../agents/models/model-names.ts';
import type { ModelConfig } from '../config/models.ts';
import type { Routes } from '../http/app.ts';
import { systemTimer } from '../lib/async/timer.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../platform/database/database.ts';
import type { AssistantStore } from './catalog/assistant-store.ts';
import type { Assistants } from './catalog/assistants.ts';
import { createCatalog } from './catalog/create-catalog.ts';
import type { ConversationParts } from './conversation-parts.ts';
import type { Features } from './create-features.ts';
import { CustomAuthorization } from './custom-auth/custom-authorization.ts';
import { CustomDecisions } from './custom-auth/decisions.ts';
import { createFeedback } from './feedback/create-feedback.ts';
import { forgetFeedbackOfRun } from './feedback/feedback-store.ts';
import { FileChangesRunner } from './file-changes/file-changes-runner.ts';
import { createGoals } from './goals/create-goals.ts';
import { GoalRunner } from './goals/goal-runner.ts';
import { GoalStore } from './goals/goal-store.ts';
import { createJournal, type EventsConfiguration, recordRoutes } from './journal/create-journal.ts';
import type { Journal } from './journal/journal.ts';
import { forgetMcpTasks } from './mcp/mcp-task-store.ts';
import { LearningRunner } from './memory/learning-runner.ts';
import { forgetTurnOfRun } from './memory/learning-store.ts';
import { ownRoutes } from './own-routes/own-routes.ts';
import { createProtocol } from './protocol/create-protocol.ts';
import type { ThreadEvents } from './protocol/thread-events.ts';
import { createRunRoutes } from './runs/create-run-routes.ts';
import { createRuns, type RunsConfiguration } from './runs/create-runs.ts';
import { withOwnApp } from './runs/ending/own-app-webhooks.ts';
import { RunFollowers } from './runs/ending/run-followers.ts';
import type { WebhookCaller } from './runs/ending/run-webhooks.ts';
import { requireNoOpenRun } from './runs/records/run-store.ts';
import type { PoolWaits, RunReasons } from './runs/run-reasons.ts';
import type { Runs } from './runs/runs.ts';
import { createSchedules } from './schedules/create-schedules.ts';
import { createThreads } from './threads/create-threads.ts';
import type { ThreadAccess } from './threads/thread-access.ts';
import type { ThreadStates } from './threads/thread-states.ts';
import type { ThreadStore } from './threads/thread-store.ts';
import type { Threads } from './threads/threads.ts';
import { createTimelines } from './timeline/create-timelines.ts';
import type { PoolSpans } from './timeline/run-timelines.ts';
import { runTracer } from './timeline/run-traces.ts';
import { createTurns } from './turns/create-turns.ts';
import type { Replays } from './turns/replays.ts';
import { contextUsageOf } from './usage/context-usage.ts';
import { createUsage } from './usage/create-usage.ts';
import type { EmailsOf, WorkflowUsageOf } from './usage/usage-summaries.ts';
import { ThreadFiles } from './user-files/thread-files.ts';

export interface ConversationOptions {
  /** The data home. */
  home: string;
  /** Null when threads stay until they are deleted. */
  threadRetentionMs: number | null;
  runs: RunsConfiguration;
  models: readonly ModelConfig[];
  /** Enabled when users manage agents and profiles over HTTP. */
  agentsApi: { enabled: boolean };
  events: EventsConfiguration;
}

interface ConversationDependencies extends Omit<ConversationParts, 'home' | 'models'> {
  threadStore: ThreadStore;
  assistantStore: AssistantStore;
  access: ThreadAccess;
  features: Features;
  /** The tasks that the users' runs have used on the pool; null when there is no pool. */
  workflowUsage: WorkflowUsageOf | null;
  /** Returns the spans of the pool's tasks, for the timelines of the runs that asked for them; null when there is no pool. */
  poolSpansOver: ((frozen: Database<unknown>) => PoolSpans) | null;
  /** Returns the reasons for which tasks of the pool wait; null when there is no pool. */
  poolWaitsOver: ((frozen: Database<unknown>) => PoolWaits) | null;
  webhookCaller: WebhookCaller;
  emailsOf: EmailsOf;
  /** Finds the account that an administrator names. */
  findUser: (name: string) => Promise<{ userId: string } | null>;
  log: Pick<Log, 'warn' | 'error'>;
  options: ConversationOptions;
}

export interface ConversationArea {
  runs: Runs;
  threads: Threads;
  runReasons: RunReasons;
  assistants: Assistants;
  threadStates: ThreadStates;
  threadEvents: ThreadEvents;
  replays: Replays;
  /** The work that follows the end of a run. */
  followers: RunFollowers;
  routes: Routes[];
  /** Asks the operator's `on` handlers on every route; null when langgraph.json has no auth. */
  customAuthorization: CustomAuthorization | null;
  /** Threads that have saved states and no record: finds them and gives them one. */
  orphans: {
    threadIdsAfter: (after: string, limit: number) => Promise<string[]>;
    unknownAmong: (threadIds: readonly string[]) => Promise<string[]>;
    adopt: (thread: { threadId: string; userId: string; at: string }) => Promise<void>;
  };
  /** Starts the work on runs: those that wait, and those that a process left behind. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Creates threads, runs and their record: a row of rooms, each made of what the earlier ones returned. */
export function createConversation(dependencies: ConversationDependencies): ConversationArea {
  const { features, runtime, access, threadStore, streamLog, options } = dependencies;
  const { customAgents } = features;
  const { models, events } = options;
  const parts = { ...dependencies, home: options.home, models };
  const journal = createJournal(parts, events);
  const threads = createThreads({ ...parts, requireNoOpenRun, retentionMs: options.threadRetentionMs });
  const followers = new RunFollowers();
  if (parts.traces) followers.register(runTracer({ ...parts, traces: parts.traces }));
  const runs = createRuns({
    ...parts,
    ...journal,
    agents: runtime.agents,
    states: runtime.states,
    hasCheckpoint: (trx, checkpoint) => runtime.checkpoints.has(trx, checkpoint),
    followers,
    runner: runnerOf(parts),
    webhookCaller: webhookCallerOf(parts),
    modelNames: modelNames(models),
    customAgent: (owner, name, { mayBeNew }) =>
      customAgents.forRun(owner, name, { mayBeNew: mayBeNew && options.agentsApi.enabled }),
    deleteThread: threads.deleteThread,
    forgetFeedback: async (trx, run) => {
      await forgetFeedbackOfRun(trx, run);
      await forgetTurnOfRun(trx, run);
    },
    stopTasks: async (userId, runId) => {
      await features.mcpServers.cancelOfRun(runId);
      await parts.workflows?.cancelOfRun(userId, runId);
    },
    options: options.runs,
  });
  // Removals that follow the deletion of a thread are registered from here on, because the runs lock it first.
  registerThreadRemovals(parts, journal.journal);
  const runRoutes = createRunRoutes({ ...parts, runs });
  const goals = createGoals(parts);
  const feedback = createFeedback(parts);
  const catalog = createCatalog({
    ...parts,
    ...threads,
    customAgents,
    agentsApi: options.agentsApi.enabled,
    trackTokens: events.trackTokens,
  });
  const schedules = createSchedules({ ...parts, runs, followers });
  const customAuthorization =
    runtime.auth &&
    new CustomAuthorization({
      decisions: new CustomDecisions({ auth: runtime.auth, timer: systemTimer }),
      access,
      runs,
      assistants: catalog.assistants,
      crons: schedules.crons,
    });
  const record = recordRoutes({
    ...journal,
    feedbackOf: (owner, threadId, runIds) => feedback.feedback.ofRuns(owner, threadId, runIds),
    contextUsage: contextUsageOf({
      threads: threadStore,
      modelOf: (threadId) => journal.recordedRuns.newestModel(threadId),
      models,
    }),
    requireThread: (owner, threadId) => access.require(owner, threadId, { mustExist: false }),
    threadOfRun: (owner, runId) => feedback.feedback.threadOf(owner, runId),
  });
  const protocol = createProtocol({
    ...parts,
    ...threads,
    runs,
    decide: customAuthorization && ((call) => customAuthorization.decide(call)),
  });
  const turns = createTurns({ ...parts, ...journal, ...threads, ...features, runs });
  return {
    runs,
    threads: threads.threads,
    runReasons: runRoutes.runReasons,
    assistants: catalog.assistants,
    threadStates: threads.threadStates,
    threadEvents: protocol.threadEvents,
    replays: turns.replays,
    followers,
    customAuthorization,
    routes: [
      ...threads.routes,
      ...runRoutes.routes,
      ...feedback.routes,
      ...record,
      ...createTimelines(parts),
      ...protocol.routes,
      turns.routes,
      goals,
      ...features.routes,
      createUsage({ ...parts, countAgents: async (owner) => (await customAgents.list(owner)).length }),
      ...catalog.routes,
      ...(runtime.webApp ? [ownRoutes({ ...parts, ...runtime, webApp: runtime.webApp })] : []),
      ...schedules.routes,
    ],
    orphans: orphansOf(parts),
    start: async () => {
      await threads.removal.finish();
      await runs.open();
    },
    close: async () => {
      await runs.close();
      await streamLog.close();
    },
  };
}

/** Returns what works on a run: the graph, and what surrounds it in every run. */
function runnerOf({
  database,
  features,
  runtime,
  clock,
  log,
}: Pick<ConversationDependencies, 'database' | 'features' | 'runtime' | 'clock' | 'log'>): FileChangesRunner {
  const goals = new GoalRunner({
    inner: runtime.runner,
    store: new GoalStore(database),
    ask: runtime.askInRun,
    newId,
    clock,
    log,
  });
  return new FileChangesRunner({
    inner: new LearningRunner(goals, features.learning),
    changes: features.fileChanges,
    log,
  });
}

/** Webhooks may call the routes of langgraph.json as well. */
function webhookCallerOf({
  webhookCaller,
  runtime: { webApp, ownCode },
}: Pick<ConversationDependencies, 'webhookCaller' | 'runtime'>): WebhookCaller {
  return webApp ? withOwnApp(webhookCaller, { webApp, ownCode }) : webhookCaller;
}

function registerThreadRemovals(
  { removals, runtime, home }: Pick<ConversationParts, 'removals' | 'runtime' | 'home'>,
  journal: Journal,
): void {
  const files = new ThreadFiles(home);
  removals.register({
    forgetThread: (trx, threadId) => journal.deleteThread(trx, threadId),
    removeFiles: (thread) => journal.clearThread(thread.thread_id),
  });
  removals.register({ forgetThread: (trx, threadId) => forgetMcpTasks(trx, threadId) });
  removals.register({ removeFiles: (thread) => files.remove(thread) });
  removals.register({ forgetThread: (trx, threadId) => runtime.checkpoints.delete(trx, threadId) });
}

function orphansOf({
  runtime,
  threadStore,
}: Pick<ConversationDependencies, 'runtime' | 'threadStore'>): ConversationArea['orphans'] {
  return {
    threadIdsAfter: (after, limit) => runtime.checkpoints.threadIdsAfter(after, limit),
    unknownAmong: (threadIds) => threadStore.unknownAmong(threadIds),
    adopt: async ({ threadId, userId, at }) => {
      const thread = { threadId, assistantId: null, metadata: {}, at };
      await threadStore.create({ user: userId }, thread);
    },
  };
}
