import { mounts } from '@switchyard/contract/conversation/mounts';
import { leadAgentName } from '../agents/agent-ids.ts';
import type { Agents } from '../agents/loading/agents.ts';
import { modelNames } from '../agents/models/model-names.ts';
import { forgetItemsOfUser } from '../agents/store/store-item-store.ts';
import type { ModelConfig } from '../config/models.ts';
import type { Routes } from '../http/app.ts';
import type { OpenStreams } from '../http/streams/open-streams.ts';
import { AppError } from '../lib/app-error.ts';
import { systemTimer } from '../lib/async/timer.ts';
import { newId, newTimeOrderedId } from '../lib/ids.ts';
import type { Owner } from '../lib/owner.ts';
import type { Database } from '../platform/database/database.ts';
import { readTogether } from '../platform/database/snapshot.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { type AssistantStore, forgetAssistantsOfUser } from './catalog/assistant-store.ts';
import { Assistants } from './catalog/assistants.ts';
import { catalogRoutes, featureRoutes } from './catalog/catalog-routes.ts';
import type { ConversationParts } from './conversation-parts.ts';
import type { Features } from './create-features.ts';
import { CustomAuthorization } from './custom-auth/custom-authorization.ts';
import { CustomDecisions } from './custom-auth/decisions.ts';
import { ThreadExpiry } from './expiry/thread-expiry.ts';
import { ThreadTtlStore } from './expiry/thread-ttl-store.ts';
import { feedbackRoutes } from './feedback/feedback-routes.ts';
import {
  FeedbackStore,
  forgetFeedback,
  forgetFeedbackOfRun,
  forgetFeedbackOfUser,
} from './feedback/feedback-store.ts';
import { RunFeedback } from './feedback/run-feedback.ts';
import { FileChangesRunner } from './file-changes/file-changes-runner.ts';
import { goalRoutes } from './goals/goal-routes.ts';
import { GoalRunner } from './goals/goal-runner.ts';
import { forgetGoal, GoalStore } from './goals/goal-store.ts';
import { Goals } from './goals/goals.ts';
import { Journal } from './journal/journal.ts';
import { type EventBackend, openEventStorage } from './journal/open-event-storage.ts';
import { RecordedRunStore } from './journal/recorded-run-store.ts';
import { runEventRoutes } from './journal/run-event-routes.ts';
import { RunSpanStore } from './journal/run-span-store.ts';
import { ThreadMessages } from './journal/thread-messages.ts';
import { ThreadTokens } from './journal/thread-tokens.ts';
import { LearningRunner } from './memory/learning-runner.ts';
import { forgetTurnOfRun } from './memory/learning-store.ts';
import { ownRoutes } from './own-routes/own-routes.ts';
import { ThreadCommands } from './protocol/commands.ts';
import { protocolRoutes } from './protocol/protocol-routes.ts';
import { protocolSockets } from './protocol/protocol-socket-routes.ts';
import { ThreadEvents } from './protocol/thread-events.ts';
import { createRuns, type RunsConfiguration } from './runs/create-runs.ts';
import { withOwnApp } from './runs/ending/own-app-webhooks.ts';
import { RunFollowers } from './runs/ending/run-followers.ts';
import type { WebhookCaller } from './runs/ending/run-webhooks.ts';
import { RunStore, requireNoOpenRun } from './runs/records/run-store.ts';
import { runReasonRoutes } from './runs/run-reason-routes.ts';
import { type PoolWaits, RunReasons } from './runs/run-reasons.ts';
import { runRoutes, statelessRunRoutes } from './runs/run-routes.ts';
import type { Runs } from './runs/runs.ts';
import { createSchedules } from './schedules/create-schedules.ts';
import type { ConversationTables } from './tables.ts';
import { readThreadRoutes } from './threads/read-thread-routes.ts';
import { ReadThreads } from './threads/read-threads.ts';
import type { GraphFor } from './threads/saved-states.ts';
import { ThreadAccess } from './threads/thread-access.ts';
import { ThreadFiles } from './threads/thread-files.ts';
import { ThreadLists } from './threads/thread-lists.ts';
import { ThreadRemoval } from './threads/thread-removal.ts';
import { threadRoutes } from './threads/thread-routes.ts';
import { ThreadSearch } from './threads/thread-search.ts';
import { ThreadSearchStore } from './threads/thread-search-store.ts';
import { threadStateRoutes } from './threads/thread-state-routes.ts';
import { ThreadStates } from './threads/thread-states.ts';
import { ThreadStore } from './threads/thread-store.ts';
import { Threads } from './threads/threads.ts';
import { UnreadThreadStore } from './threads/unread-thread-store.ts';
import { UserRemoval } from './threads/user-removal.ts';
import { runTimelineRoutes } from './timeline/run-timeline-routes.ts';
import { RunTimelineStore } from './timeline/run-timeline-store.ts';
import { type PoolSpans, RunTimelines } from './timeline/run-timelines.ts';
import { createTurns } from './turns/create-turns.ts';
import { contextUsageOf } from './usage/context-usage.ts';
import { ModelPrices } from './usage/costs.ts';
import { createConsole } from './usage/create-console.ts';
import type { EmailsOf, WorkflowUsageOf } from './usage/usage-summaries.ts';

export interface ConversationOptions {
  /** The data home. */
  home: string;
  runs: RunsConfiguration;
  models: readonly ModelConfig[];
  /** Whether users manage agents and profiles over HTTP. */
  agentsApi: { enabled: boolean };
  events: { backend: EventBackend; maxTraceBytes: number; trackTokens: boolean };
}

interface ConversationDependencies
  extends Pick<
    ConversationParts,
    | 'database'
    | 'ownership'
    | 'bus'
    | 'offers'
    | 'jobs'
    | 'streamLog'
    | 'guard'
    | 'admission'
    | 'endOf'
    | 'removals'
    | 'runtime'
    | 'workflows'
    | 'mayStartRuns'
    | 'tell'
    | 'version'
    | 'clock'
  > {
  openStreams: OpenStreams;
  threadStore: ThreadStore;
  assistantStore: AssistantStore;
  access: ThreadAccess;
  features: Features;
  /** The tasks that the users' runs have used on the pool; null when there is no pool. */
  workflowUsage: WorkflowUsageOf | null;
  /** What tasks of the pool did, for the timelines of the runs that asked for them; null when there is no pool. */
  poolSpansOver: ((frozen: Database<unknown>) => PoolSpans) | null;
  /** Why tasks of the pool wait; null when there is no pool. */
  poolWaitsOver: ((frozen: Database<unknown>) => PoolWaits) | null;
  webhookCaller: WebhookCaller;
  emailsOf: EmailsOf;
  log: Logger;
  options: ConversationOptions;
}

export interface ConversationArea {
  runs: Runs;
  threads: Threads;
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

/** Creates threads, runs and their record. */
export function createConversation(dependencies: ConversationDependencies): ConversationArea {
  const { database, threadStore, removals, features, runtime, streamLog, clock, log, options } = dependencies;
  const { agents, states, checkpoints } = runtime;
  const storage = openEventStorage({ backend: options.events.backend, database, home: options.home });
  const journal = new Journal({
    storage,
    ...options.events,
    now: clock,
    onFlushFailed: (error) => log.warn({ err: error }, 'Events of a run could not be written yet'),
  });
  const graphFor = graphsOf(agents);
  const removal = new ThreadRemoval({ store: threadStore, removals, clock, log });
  new ThreadExpiry({
    store: new ThreadTtlStore(database),
    remove: (thread, confirm) => removal.removeQuiet(thread, confirm),
    keepLatest: (threadId, confirm) => states.prune(threadId, { keepLatest: 1 }, confirm),
    requireNoOpenRun,
    clock,
    log,
  }).register(dependencies.jobs);
  const threads = new Threads({
    ...dependencies,
    store: threadStore,
    removal,
    checkpoints,
    states,
    requireNoOpenRun,
    graphFor,
    newId: newTimeOrderedId,
  });
  const deleteThread = async (owner: Owner, threadId: string): Promise<void> => {
    await threads.delete(owner, threadId);
  };
  const followers = new RunFollowers();
  const runs = createRuns({
    ...dependencies,
    agents,
    states,
    hasCheckpoint: (trx, checkpoint) => checkpoints.has(trx, checkpoint),
    journal,
    followers,
    runner: runnerOf(dependencies),
    webhookCaller: runtime.webApp
      ? withOwnApp(dependencies.webhookCaller, { webApp: runtime.webApp, ownCode: runtime.ownCode })
      : dependencies.webhookCaller,
    modelNames: modelNames(options.models),
    customAgent: (owner, name, { mayBeNew }) =>
      features.customAgents.forRun(owner, name, { mayBeNew: mayBeNew && options.agentsApi.enabled }),
    deleteThread,
    forgetFeedback: async (trx, run) => {
      await forgetFeedbackOfRun(trx, run);
      await forgetTurnOfRun(trx, run);
    },
    stopTasks: async (userId, runId) => dependencies.workflows?.cancelOfRun(userId, runId),
    options: options.runs,
  });
  registerRemovals(dependencies, journal);
  new UserRemoval({ database, threads: threadStore, removals, deleteThread, home: options.home }).register(
    dependencies.jobs,
  );
  const assistants = assistantsOf(dependencies, threads);
  const schedules = createSchedules({ ...dependencies, runs, followers });
  const customAuthorization =
    runtime.auth &&
    new CustomAuthorization({
      ...dependencies,
      decisions: new CustomDecisions({ auth: runtime.auth, timer: systemTimer }),
      runs,
      assistants,
      crons: schedules.crons,
    });
  return {
    runs,
    threads,
    followers,
    customAuthorization,
    routes: [
      ...routesOf(dependencies, {
        removal,
        threads,
        runs,
        journal,
        storage,
        graphFor,
        assistants,
        customAuthorization,
      }),
      ...schedules.routes,
    ],
    orphans: orphansOf(dependencies),
    start: async () => {
      await removal.finish();
      await runs.open();
    },
    close: async () => {
      await runs.close();
      await streamLog.close();
    },
  };
}

/** What works on a run: the graph, and what surrounds it in every run. */
function runnerOf({ database, features, runtime, clock, log }: ConversationDependencies): FileChangesRunner {
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

interface Parts {
  removal: ThreadRemoval;
  threads: Threads;
  runs: Runs;
  journal: Journal;
  storage: ReturnType<typeof openEventStorage>;
  graphFor: GraphFor;
  assistants: Assistants;
  customAuthorization: CustomAuthorization | null;
}

/** What is deleted with a thread or an account, besides the parts that features and runs have registered. */
function registerRemovals({ removals, runtime, options }: ConversationDependencies, journal: Journal): void {
  const files = new ThreadFiles(options.home);
  removals.register({
    forgetThread: (trx, threadId) => journal.deleteThread(trx, threadId),
    removeFiles: (thread) => journal.clearThread(thread.thread_id),
  });
  removals.register({ removeFiles: (thread) => files.remove(thread) });
  removals.register<ConversationTables>({
    forgetThread: async (trx, threadId) => {
      await forgetGoal(trx, threadId);
    },
  });
  removals.register({ forgetThread: forgetFeedback, forgetUser: forgetFeedbackOfUser });
  removals.register({ forgetThread: (trx, threadId) => runtime.checkpoints.delete(trx, threadId) });
  removals.register({ forgetUser: forgetItemsOfUser });
  removals.register({ forgetUser: forgetAssistantsOfUser });
}

function routesOf(dependencies: ConversationDependencies, parts: Parts): Routes[] {
  const { database, openStreams, access, features, runtime, clock, options } = dependencies;
  const { threads, runs, journal, storage, graphFor, assistants, customAuthorization } = parts;
  const { customAgents } = features;
  const store = dependencies.threadStore;
  const feedbackStore = new FeedbackStore(database);
  const feedback = new RunFeedback({
    store: feedbackStore,
    access,
    isAvailable: database.backend !== 'memory',
    clock,
    newId,
  });
  const recordedRuns = new RecordedRunStore(database);
  const events = {
    journal,
    messages: new ThreadMessages({
      storage,
      runs: recordedRuns,
      feedbackOf: (owner, threadId, runIds) => feedbackStore.ofRuns(owner, threadId, runIds),
    }),
    tokens: new ThreadTokens({
      runs: recordedRuns,
      journal,
      contextUsage: contextUsageOf({
        threads: store,
        modelOf: (threadId) => recordedRuns.newestModel(threadId),
        models: options.models,
      }),
    }),
    requireThread: (owner: Owner, threadId: string) => access.require(owner, threadId, { mustExist: false }),
    threadOfRun: (owner: Owner, runId: string) => feedbackStore.threadOf(owner, runId),
  };
  const lists = new ThreadLists(new ThreadSearch(new ThreadSearchStore(database)));
  const threadStates = new ThreadStates({ store, access, states: runtime.states, graphFor, clock });
  const timelines = timelinesOf(dependencies);
  const reasons = reasonsOf(dependencies);
  const protocol = {
    commands: new ThreadCommands({ runs, states: threadStates, access }),
    events: new ThreadEvents({ runs, streamLog: dependencies.streamLog, clock }),
    access,
    openStreams,
  };
  const sockets = protocolSockets({
    ...dependencies,
    ...protocol,
    decide: customAuthorization && ((call) => customAuthorization.decide(call)),
  });
  return [
    ...mounts.flatMap((mount) => [
      threadRoutes(mount, { threads, lists }),
      threadStateRoutes(mount, { states: threadStates }),
      runRoutes(mount, { runs, openStreams }),
      statelessRunRoutes(mount, { runs, openStreams }),
      feedbackRoutes(mount, { feedback }),
      runEventRoutes(mount, events),
      runTimelineRoutes(mount, { timelines }),
      runReasonRoutes(mount, { reasons }),
      protocolRoutes(mount, protocol),
    ]),
    sockets,
    turnsOf(dependencies, parts),
    goalRoutes({ goals: new Goals({ access, store: new GoalStore(database), clock }) }),
    ...features.routes,
    createConsole({
      database,
      models: options.models,
      workflowUsage: dependencies.workflowUsage,
      countAgents: async (owner) => (await customAgents.list(owner)).length,
      emailsOf: dependencies.emailsOf,
      clock,
    }),
    readThreadRoutes({
      readThreads: new ReadThreads({
        store: new UnreadThreadStore(database),
        access,
        tell: dependencies.tell,
      }),
    }),
    featureRoutes({ agentsApi: options.agentsApi.enabled }),
    ...catalogRoutes({
      assistants,
      runtime,
      version: dependencies.version,
      trackTokens: options.events.trackTokens,
      models: options.models,
    }),
    ...(runtime.webApp ? [ownRoutes({ ...dependencies, ...runtime, webApp: runtime.webApp })] : []),
  ];
}

function assistantsOf(
  { runtime, features, assistantStore, clock }: ConversationDependencies,
  threads: Threads,
): Assistants {
  return new Assistants({
    ...runtime,
    store: assistantStore,
    customAgents: features.customAgents,
    deleteThreads: (owner, assistantId) => threads.deleteOf(owner, assistantId),
    clock,
  });
}

function turnsOf(dependencies: ConversationDependencies, parts: Parts): Routes {
  const { database, runtime, threadStore, features, options } = dependencies;
  return createTurns({
    ...dependencies,
    ...parts,
    states: runtime.states,
    store: threadStore,
    runStore: new RunStore(database),
    recordedRuns: new RecordedRunStore(database),
    copyFolders: features.copyFolders,
    compact: runtime.compact,
    goals: new GoalStore(database),
    modelNames: modelNames(options.models),
    modelOfAgent: async (owner, name) =>
      (await features.customAgents.forRun(owner, name, { mayBeNew: false })).model,
  });
}

function timelinesOf(dependencies: ConversationDependencies): RunTimelines {
  return new RunTimelines({
    ...dependencies,
    together: readTogether(dependencies.database, (frozen) => ({
      store: new RunTimelineStore(frozen),
      spans: new RunSpanStore(frozen),
      poolSpans: dependencies.poolSpansOver?.(frozen.withTables()) ?? null,
    })),
    prices: new ModelPrices(dependencies.options.models),
  });
}

function reasonsOf({ database, clock, poolWaitsOver }: ConversationDependencies): RunReasons {
  return new RunReasons({
    together: readTogether(database, (frozen) => ({
      store: new RunStore(frozen),
      spans: new RunSpanStore(frozen),
      access: new ThreadAccess(new ThreadStore(frozen)),
      poolWaits: poolWaitsOver?.(frozen.withTables()) ?? null,
    })),
    clock,
  });
}

function orphansOf({ runtime, threadStore }: ConversationDependencies): ConversationArea['orphans'] {
  return {
    threadIdsAfter: (after, limit) => runtime.checkpoints.threadIdsAfter(after, limit),
    unknownAmong: (threadIds) => threadStore.unknownAmong(threadIds),
    adopt: async ({ threadId, userId, at }) => {
      const thread = { threadId, assistantId: null, metadata: {}, at };
      await threadStore.create({ user: userId }, thread);
    },
  };
}

function graphsOf(agents: Agents): GraphFor {
  return async (owner, assistantId) => {
    try {
      return (await agents.resolve(owner, assistantId ?? leadAgentName)).graphId;
    } catch (error) {
      if (error instanceof AppError && error.code === 'assistant_not_found') return null;
      throw error;
    }
  };
}
