import { mounts } from '@switchyard/contract/conversation/mounts';
import type { ModelConfig } from '../config/models.ts';
import type { Routes } from '../http/app.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import { AppError } from '../lib/app-error.ts';
import { type Clock, steadyClock } from '../lib/clock.ts';
import { newId, newTimeOrderedId } from '../lib/ids.ts';
import type { Owner } from '../lib/owner.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { ThreadCheckpoints } from '../platform/database/checkpointer/thread-checkpoints.ts';
import { openCheckpointer } from '../platform/database/checkpointer.ts';
import type { Database } from '../platform/database/database.ts';
import { nodeDisk } from '../platform/files/disk.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import { MemoryStreamLog } from '../platform/stream-log/memory-stream-log.ts';
import type { StreamLogLimits } from '../platform/stream-log/stream-log.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { agentDefinitions } from './agent/agent-definitions.ts';
import type { AgentFault } from './agent/agent-fault.ts';
import { AgentWatcher } from './agent/agent-watcher.ts';
import { Agents } from './agent/agents.ts';
import { builtInAgents } from './agent/built-in-agents.ts';
import { GraphRunner } from './agent/graph-runner.ts';
import { GraphShapes } from './agent/graph-shapes.ts';
import { GraphStates } from './agent/graph-state.ts';
import { loadLangchain } from './agent/langchain.ts';
import { langgraphFile } from './agent/langgraph-json.ts';
import { leadAgentName } from './agent/lead-agent-name.ts';
import { AgentModules } from './agent/load-agent-modules.ts';
import { modelAsker } from './agent/models/ask-model.ts';
import { modelNames } from './agent/models/model-names.ts';
import { StoreItemStore } from './agent/store-item-store.ts';
import { StoreItems } from './agent/store-items.ts';
import type { WorkflowRunner } from './agent/tools/workflow-runner.ts';
import type { TurnSettings } from './agent/turn-settings.ts';
import { WorkingAgents } from './agent/working-agent.ts';
import { resolvedAgent } from './catalog/assistant.ts';
import { AssistantStore } from './catalog/assistant-store.ts';
import { Assistants } from './catalog/assistants.ts';
import { catalogRoutes } from './catalog/catalog-routes.ts';
import { featureRoutes } from './catalog/feature-routes.ts';
import { type ChannelsSurroundings, createChannels } from './channels/create-channels.ts';
import { CustomAgentFiles } from './custom-agents/custom-agent-files.ts';
import { customAgentRoutes } from './custom-agents/custom-agent-routes.ts';
import { CustomAgents } from './custom-agents/custom-agents.ts';
import { feedbackRoutes } from './feedback/feedback-routes.ts';
import { FeedbackStore, forgetFeedback, forgetFeedbackOfRun } from './feedback/feedback-store.ts';
import { RunFeedback } from './feedback/run-feedback.ts';
import { Journal } from './journal/journal.ts';
import { type EventBackend, openEventStorage } from './journal/open-event-storage.ts';
import { RecordedRunStore } from './journal/recorded-run-store.ts';
import { runEventRoutes } from './journal/run-event-routes.ts';
import { ThreadMessages } from './journal/thread-messages.ts';
import { ThreadTokens } from './journal/thread-tokens.ts';
import { ExtensionsFile } from './mcp/extensions-file.ts';
import type { McpNetwork } from './mcp/mcp-network.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { McpServers } from './mcp/mcp-servers.ts';
import { createMemory, type MemoryConfiguration } from './memory/create-memory.ts';
import { LearningRunner } from './memory/learning-runner.ts';
import { forgetTurnOfRun, forgetTurnsOfThread } from './memory/learning-store.ts';
import { memoryRoutes } from './memory/memory-routes.ts';
import { Profiles } from './profile/profiles.ts';
import { createRuns, type RunsConfiguration } from './runs/create-runs.ts';
import { runRoutes, statelessRunRoutes } from './runs/run-routes.ts';
import type { WebhookCaller } from './runs/run-webhooks.ts';
import { createSkills, type SkillsOptions } from './skills/create-skills.ts';
import { suggestionRoutes } from './suggestions/suggestion-routes.ts';
import { Suggestions } from './suggestions/suggestions.ts';
import type { ConversationTables } from './tables.ts';
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
import { createConsole } from './usage/create-console.ts';
import type { WorkflowUsageOf } from './usage/usage-summaries.ts';
import { UserRemoval } from './user-removal.ts';
import { UserRemovalStore } from './user-removal-store.ts';
import { agentWorkspace } from './workspace/agent-workspace.ts';
import { artifactRoutes } from './workspace/artifact-routes.ts';
import { Artifacts } from './workspace/artifacts.ts';
import type { UploadLimits } from './workspace/receive-uploads.ts';
import { ThreadFolders } from './workspace/thread-folders.ts';
import { uploadRoutes } from './workspace/upload-routes.ts';
import { Uploads } from './workspace/uploads.ts';
import { WorkspaceFiles } from './workspace/workspace-files.ts';

export interface ConversationOptions {
  /** The data home. */
  home: string;
  agents: {
    /** `name=./file.ts:export`. */
    configured: readonly string[];
    /** Where relative paths begin and `langgraph.json` is looked for. */
    cwd: string;
    setVariables: (variables: Record<string, string>) => void;
    /** Load them again when their files change. */
    watch: boolean;
  };
  runs: RunsConfiguration;
  streams: StreamLogLimits;
  models: readonly ModelConfig[];
  turn: TurnSettings;
  uploads: UploadLimits;
  mcp: { allowedCommands: readonly string[] };
  skills: SkillsOptions;
  memory: MemoryConfiguration;
  /** Whether users manage agents and profiles over HTTP. */
  agentsApi: { enabled: boolean };
  /** Left free on the disk. */
  diskReserveBytes: number;
  events: { backend: EventBackend; maxTraceBytes: number; trackTokens: boolean };
}

interface ConversationDependencies {
  database: Database<unknown>;
  ownership: Ownership;
  bus: Bus;
  jobs: Jobs;
  openStreams: OpenStreams;
  /** Null where this gateway has no pool. */
  workflows: WorkflowRunner | null;
  /** What they have taken of it; null likewise. */
  workflowUsage: WorkflowUsageOf | null;
  webhookCaller: WebhookCaller;
  mcpNetwork: McpNetwork;
  channels: ChannelsSurroundings;
  /** False once the account is deleted. */
  isUser: (userId: string) => Promise<boolean>;
  /** Of the gateway, as clients are told. */
  version: string;
  clock: Clock;
  log: Logger;
  options: ConversationOptions;
}

export interface OwnAgent {
  /** Of the graph; of the file where that names no graphs. */
  name: string;
  /** Why it cannot be used; null where it can. */
  fault: string | null;
}

export interface ConversationArea {
  routes: Routes[];
  /** Threads that have saved states and no record: how they are found and get one. */
  orphans: {
    threadIdsAfter: (after: string, limit: number) => Promise<string[]>;
    unknownAmong: (threadIds: readonly string[]) => Promise<string[]>;
    adopt: (thread: { threadId: string; userId: string; at: string }) => Promise<void>;
  };
  /** The agents of `langgraph.json` and of the configuration, each with what is wrong with it; loads them. */
  ownAgents(): Promise<OwnAgent[]>;
  /** Begins to work on runs: those that wait, and those that a process left behind. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const hourMs = 60 * 60 * 1000;

export function createConversation(dependencies: ConversationDependencies): ConversationArea {
  const { ownership, bus, jobs, openStreams, clock, log, options } = dependencies;
  const database = dependencies.database.withTables<ConversationTables>();
  const checkpointer = once(() => loadLangchain(() => openCheckpointer(dependencies.database)));
  const checkpoints = new ThreadCheckpoints(dependencies.database);
  const storage = openEventStorage({ backend: options.events.backend, database, home: options.home });
  const journal = new Journal({
    storage,
    ...options.events,
    now: clock,
    onFlushFailed: (error) => log.warn({ err: error }, 'Events of a run could not be written yet'),
  });
  const streamLog = new MemoryStreamLog({ limits: options.streams });

  const folders = new ThreadFolders({ ...options, reserveBytes: options.diskReserveBytes, disk: nodeDisk });
  const workspace = new WorkspaceFiles(folders);
  const storeItems = new StoreItems({ store: new StoreItemStore(database), clock });
  jobs.register('store.sweep', () => storeItems.sweep());
  jobs.every('store.sweep', hourMs);
  const threadStore = new ThreadStore(database);
  const access = new ThreadAccess(threadStore);
  const assistantStore = new AssistantStore(database);
  const watcher = new AgentWatcher({ reload: () => agents.reload(), log });
  const onLoad = options.agents.watch ? (file: string) => watcher.see(file) : undefined;
  const modules = new AgentModules({ ...(onLoad && { onLoad }) });
  const extensions = new ExtensionsFile(options.home);
  const mcpServers = new McpServers({
    file: extensions,
    allowedCommands: options.mcp.allowedCommands,
    version: dependencies.version,
    network: dependencies.mcpNetwork,
    clock: steadyClock,
    log,
  });
  const customAgents = new CustomAgents({
    files: new CustomAgentFiles(options.home),
    modelNames: modelNames(options.models),
    graphIds: () => agents.ids(),
    withMemory: (owner, name, remove) => memories.remove(owner, name, remove),
    log,
  });
  const profiles = new Profiles(options.home);
  const { memories, learning } = createMemory({
    database,
    ownership,
    jobs,
    isThere: async ({ userId, agent }) =>
      (await dependencies.isUser(userId)) &&
      (agent === null || (await customAgents.has({ userId, name: agent }))),
    models: { configured: options.models, cwd: options.agents.cwd },
    home: options.home,
    clock,
    log,
    options: options.memory,
  });
  const skills = createSkills({
    extensions,
    access,
    files: workspace,
    diskReserveBytes: options.diskReserveBytes,
    clock,
    log,
    options: options.skills,
  });
  const faultsOfFile: AgentFault[] = [];
  const agents = new Agents({
    definitions: agentDefinitions({
      builtIn: builtInAgents({
        workflows: dependencies.workflows,
        workspace: agentWorkspace({ files: workspace, folders, access }),
        mounts: [skills.mount],
        skillsFor: (only) => skills.promptFor(only),
        extraTools: () => mcpServers.tools(),
        memoryOf: (userId, agentName) => memories.promptFor({ user: userId }, agentName),
        userAgents: {
          working: new WorkingAgents((userId, name) => customAgents.find({ user: userId }, name)),
          profileOf: (userId) => profiles.read({ user: userId }),
          ...(options.agentsApi.enabled && { setUp: (agent, wish) => customAgents.setUp(agent, wish) }),
        },
        models: { configured: options.models, cwd: options.agents.cwd },
        turn: options.turn,
        log,
      }),
      ...options.agents,
      modules,
      onFault: (fault) => faultsOfFile.push(fault),
      log,
    }),
    storedAssistant: async (owner, assistantId) => {
      const row = await assistantStore.get(owner, assistantId);
      return row && resolvedAgent(row);
    },
    customAgent: (owner, named) => customAgents.nameOf(owner, named),
    storeItems,
    modules,
    log,
  });
  const states = new GraphStates({ agents, checkpointer });

  const threadFiles = new ThreadFiles(options.home);
  const graphFor = graphsOf(agents);
  const removal = new ThreadRemoval({
    store: threadStore,
    stopWork: (threadId) => runs.stopWork(threadId),
    alongside: [
      (trx, threadId) => runs.forgetRuns(trx, threadId),
      (trx, threadId) => journal.deleteThread(trx, threadId),
      (trx, threadId) => channels.forgetThread(trx, threadId),
      forgetFeedback,
      forgetTurnsOfThread,
      (trx, threadId) => checkpoints.delete(trx, threadId),
    ],
    removeFiles: async (thread) => {
      await journal.clearThread(thread.thread_id);
      await threadFiles.remove(thread);
    },
    clock,
    log,
  });
  const threads = new Threads({
    store: threadStore,
    access,
    removal,
    checkpoints,
    states,
    graphFor,
    clock,
    newId: newTimeOrderedId,
  });
  new UserRemoval({
    store: new UserRemovalStore(database),
    deleteThread: (owner, threadId) => threads.delete(owner, threadId),
    home: options.home,
  }).register(jobs);
  const runs = createRuns({
    database,
    ownership,
    bus,
    jobs,
    streamLog,
    access,
    agents,
    states,
    journal,
    runner: new LearningRunner(new GraphRunner({ agents, checkpointer }), learning),
    modelNames: modelNames(options.models),
    customAgent: (owner, name, { mayBeNew }) =>
      customAgents.forRun(owner, name, { mayBeNew: mayBeNew && options.agentsApi.enabled }),
    deleteThread: async (owner, threadId) => {
      await threads.delete(owner, threadId);
    },
    forgetFeedback: async (trx, run) => {
      await forgetFeedbackOfRun(trx, run);
      await forgetTurnOfRun(trx, run);
    },
    webhookCaller: dependencies.webhookCaller,
    stopTasks: async (userId, runId) => dependencies.workflows?.cancelOfRun(userId, runId),
    follower: {
      plan: (run) => channels.planReply(run),
      wake: (run) => channels.wakeReply(run),
    },
    clock,
    log,
    options: options.runs,
  });
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
    tokens: new ThreadTokens({ runs: recordedRuns, journal }),
    requireThread: (owner: Owner, threadId: string) => access.require(owner, threadId, { mustExist: false }),
    threadOfRun: (owner: Owner, runId: string) => feedbackStore.threadOf(owner, runId),
  };
  const uploads = new Uploads({ folders, files: workspace, access, limits: options.uploads, clock });
  const artifacts = new Artifacts({ folders, files: workspace, access });
  const channels = createChannels({
    ...dependencies.channels,
    database,
    ownership,
    jobs,
    streamLog,
    runs,
    threads,
    access,
    uploads,
    artifacts,
    memories,
    models: options.models,
    clock,
    log,
  });
  const suggestions = new Suggestions({
    ask:
      options.models.length === 0
        ? null
        : modelAsker({ configured: options.models, cwd: options.agents.cwd }),
    hasPool: dependencies.workflows !== null,
    log,
  });
  const lists = new ThreadLists(new ThreadSearch(new ThreadSearchStore(database)));
  const threadStates = new ThreadStates({ store: threadStore, access, states, graphFor, clock });
  const assistants = new Assistants({
    agents,
    shapes: new GraphShapes(),
    store: assistantStore,
    customAgents,
    clock,
  });

  return {
    routes: [
      ...mounts.flatMap((mount) => [
        threadRoutes(mount, { threads, lists }),
        threadStateRoutes(mount, { states: threadStates }),
        runRoutes(mount, { runs, openStreams }),
        statelessRunRoutes(mount, { runs, openStreams }),
        feedbackRoutes(mount, { feedback }),
        runEventRoutes(mount, events),
      ]),
      uploadRoutes({ uploads }),
      artifactRoutes({ artifacts }),
      mcpRoutes({ servers: mcpServers }),
      skills.routes,
      memoryRoutes({ memories, requireAgent: (owner, name) => customAgents.get(owner, name) }),
      customAgentRoutes({ agents: customAgents, profiles, isEnabled: options.agentsApi.enabled }),
      suggestionRoutes({ access, suggestions }),
      createConsole({
        database,
        models: options.models,
        workflowUsage: dependencies.workflowUsage,
        countAgents: async (owner) => (await customAgents.list(owner)).length,
        clock,
      }),
      channels.routes,
      featureRoutes({ agentsApi: options.agentsApi.enabled }),
      ...catalogRoutes({
        assistants,
        storeItems,
        version: dependencies.version,
        trackTokens: options.events.trackTokens,
        models: options.models,
      }),
    ],
    orphans: {
      threadIdsAfter: (after, limit) => checkpoints.threadIdsAfter(after, limit),
      unknownAmong: (threadIds) => threadStore.unknownAmong(threadIds),
      adopt: async ({ threadId, userId, at }) => {
        const thread = { threadId, assistantId: null, metadata: {}, at };
        await threadStore.create({ user: userId }, thread);
      },
    },
    ownAgents: async () => [
      ...faultsOfFile.map(({ message }) => ({ name: langgraphFile, fault: message })),
      ...(await agents.describeOwn()).map(({ graphId, fault }) => ({
        name: graphId,
        fault: fault?.message ?? null,
      })),
    ],
    start: async () => {
      await removal.finish();
      await runs.open();
      await channels.start();
    },
    close: async () => {
      await channels.close();
      await runs.close();
      learning.close();
      await mcpServers.close();
      await streamLog.close();
      watcher.close();
    },
  };
}

/** Opened with the first agent that is used, and not at the start: LangChain takes long to load. */
function once<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opening: Promise<Value> | undefined;
  return () => {
    opening ??= open();
    return opening;
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
