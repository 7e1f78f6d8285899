import type { AccountStore } from '../accounts/account-store.ts';
import type { CustomAccounts } from '../accounts/custom-accounts.ts';
import type { CallTickets } from '../accounts/secrets/call-tickets.ts';
import { checkpointMigrations } from '../agents/checkpoints/migrations.ts';
import { type AgentRuntime, type AgentsConfiguration, createAgents } from '../agents/create-agents.ts';
import type { ResolvedAgent } from '../agents/loading/agents.ts';
import { type MeasureCall, measureModels } from '../agents/models/model-metrics.ts';
import { modelNames } from '../agents/models/model-names.ts';
import { plainModels } from '../agents/models/plain-model.ts';
import type { WorkflowRunner } from '../agents/tools/workflow-runner.ts';
import { createChannels } from '../channels/create-channels.ts';
import type { ChannelTables } from '../channels/tables.ts';
import { graphConfig, openAiVariables } from '../config/env.ts';
import { resolvedAgent } from '../conversation/catalog/assistant.ts';
import { AssistantStore } from '../conversation/catalog/assistant-store.ts';
import { type ConversationArea, createConversation } from '../conversation/create-conversation.ts';
import { createFeatures } from '../conversation/create-features.ts';
import { CustomAuthentication } from '../conversation/custom-auth/custom-authentication.ts';
import { conversationMigrations } from '../conversation/migrations.ts';
import { codeCalls } from '../conversation/own-routes/code-calls.ts';
import { Removals } from '../conversation/removals.ts';
import { settingsOfRun } from '../conversation/runs/records/run-store.ts';
import type { PoolWaits } from '../conversation/runs/run-reasons.ts';
import type { ConversationTables } from '../conversation/tables.ts';
import type { TellOwner } from '../conversation/thread-news.ts';
import { ThreadAccess } from '../conversation/threads/thread-access.ts';
import { ThreadStore } from '../conversation/threads/thread-store.ts';
import type { PoolSpans } from '../conversation/timeline/run-timelines.ts';
import { UsageStore } from '../conversation/usage/usage-store.ts';
import type { WorkflowUsageOf } from '../conversation/usage/usage-summaries.ts';
import type { TalkParts } from '../doors/openai/create-openai-door.ts';
import type { DecideCall } from '../http/access/custom-calls.ts';
import type { Guard } from '../http/access/guard.ts';
import type { CustomAuthenticator, Identity } from '../http/access/identity.ts';
import type { Routes } from '../http/app.ts';
import type { Admission } from '../http/body/admission.ts';
import type { OpenStreams } from '../http/streams/open-streams.ts';
import { systemTimer } from '../lib/async/timer.ts';
import type { Owner } from '../lib/owner.ts';
import { adoptOrphanThreads } from '../ops/adopt-orphan-threads.ts';
import { findAccount, findAnyAccount } from '../ops/find-account.ts';
import { conversationOptions, turnOptions } from '../ops/options-of-config.ts';
import { channelNetwork, mcpNetwork, runWebhookCaller } from '../ops/outbound-networks.ts';
import type { Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { agentsFolderOf, type Base } from './base.ts';

interface Surroundings {
  streams: OpenStreams;
  guard: Guard;
  admission: Admission;
  /** Aborts when the session or token behind an identity has ended. */
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  /** Null when this gateway has no pool. */
  workflows: WorkflowRunner | null;
  workflowUsage: WorkflowUsageOf | null;
  poolSpansOver: ((frozen: Database<unknown>) => PoolSpans) | null;
  poolWaitsOver: ((frozen: Database<unknown>) => PoolWaits) | null;
  accounts: AccountStore;
  customAccounts: CustomAccounts;
  callTickets: CallTickets;
  /** The address that the gateway listens on. */
  listeningUrl: () => string;
  /** Tells the open pages of a user what happens to their threads. */
  tell: TellOwner;
  diskReserveBytes: number;
}

export interface OpenedConversation
  extends Pick<
    ConversationArea,
    'runs' | 'runReasons' | 'assistants' | 'threadStates' | 'threadEvents' | 'replays'
  > {
  access: ThreadAccess;
  routes: Routes[];
  ownAgents: AgentRuntime['ownAgents'];
  /** The authentication of langgraph.json; null when there is none. */
  customAuth: CustomAuth | null;
  /** What the door for clients of OpenAI needs besides. */
  talk: Omit<TalkParts, 'runs' | 'access' | 'assistants'>;
  /** Begins to work on runs and messages. Call it once the gateway listens. */
  start(): Promise<void>;
}

/** Decides who is let in without a credential of the gateway, and what they may do. */
export interface CustomAuth {
  authentication: CustomAuthenticator;
  decide: DecideCall;
}

/** Opens the conversation area, with the runtime below it and the channels above it. */
export async function openConversation(base: Base, surroundings: Surroundings): Promise<OpenedConversation> {
  const { config, options, opened, ownership, bus, counters, jobs, offers, audit, outbound, streamLog } =
    base;
  const { streams, admission, workflows, accounts, diskReserveBytes } = surroundings;
  await migrate(base.database, 'checkpoints', checkpointMigrations);
  await migrate(base.database, 'conversation', conversationMigrations);
  const database = base.database.withTables<ConversationTables>();
  const threadStore = new ThreadStore(database);
  const assistantStore = new AssistantStore(database);
  const access = new ThreadAccess(threadStore);
  const removals = new Removals();
  const shared = {
    database,
    ownership,
    bus,
    jobs,
    offers,
    access,
    threadStore,
    removals,
    audit,
    workflows,
    traces: base.traces,
    version: options.version,
    metrics: base.metrics,
    measureCall: measureModels(base.metrics, {
      models: config.models,
      countsTokens: config.run_events.track_tokens,
    }),
    clock: base.clock,
    log: base.logs.conversation,
  };
  const given = conversationOptions(config);
  const cwd = agentsFolderOf(options);
  const features = createFeatures({
    ...shared,
    mcpNetwork: mcpNetwork(outbound),
    isUser: (userId) => isUser(accounts, userId),
    options: {
      ...given,
      cwd,
      fetch: outbound.fetch,
      diskReserveBytes,
      skills: { path: config.skills.path, shipped: options.shippedSkills ?? null },
    },
  });
  opened.add(() => features.close());
  const runtime = createAgents({
    ...shared,
    database: base.database,
    log: base.logs.agents,
    equipment: features.equipment,
    storedAssistant: (owner, assistantId) => storedAgent(assistantStore, owner, assistantId),
    customAgent: (owner, named) => features.customAgents.nameOf(owner, named),
    settingsOfRun: (whose) => settingsOfRun(database.read, whose),
    sendForCaller: codeCalls({ gatewayUrl: surroundings.listeningUrl, tickets: surroundings.callTickets }),
    options: agentsConfiguration(base),
  });
  opened.add(() => runtime.close());
  features.customAgents.keepFree(runtime.agents);

  const area = createConversation({
    ...shared,
    ...surroundings,
    streamLog,
    openStreams: streams,
    assistantStore,
    features,
    runtime,
    emailsOf: (userIds) => accounts.emailsOf({ system: 'names of accounts in numbers of usage' }, userIds),
    findUser: (name) => findAnyAccount(accounts, name),
    mayStartRuns: async (userId) => (await findAccount(accounts, userId)) !== null,
    webhookCaller: runWebhookCaller(outbound, {
      allowPrivate: config.dispatch.webhooks_to_private_addresses,
    }),
    options: given,
  });
  opened.add(() => area.close());
  const channels = createChannels({
    ...shared,
    ...area,
    ...features,
    database: base.database.withTables<ChannelTables>(),
    log: base.logs.channels,
    streamLog,
    counters,
    configured: config.channels,
    network: channelNetwork(outbound),
    readBody: (request, payload) => admission.readBody(request, payload),
    findAccount: (name) => findAccount(accounts, name),
    models: config.models,
  });
  opened.add(() => channels.close());
  return {
    ...area,
    access,
    routes: [...area.routes, channels.routes],
    ownAgents: runtime.ownAgents,
    customAuth: customAuthOf(surroundings, { runtime, area }),
    talk: talkOf(base, { ...shared, runtime }),
    start: async () => {
      await adoptThreads(base, accounts, area);
      await area.start();
      await channels.start();
    },
  };
}

function talkOf(
  { config, options, outbound }: Base,
  {
    database,
    runtime: { agents },
    measureCall,
  }: { database: Database<ConversationTables>; runtime: AgentRuntime; measureCall: MeasureCall },
): OpenedConversation['talk'] {
  const { models } = config;
  const cwd = agentsFolderOf(options);
  return {
    agents,
    usage: new UsageStore(database),
    ask: plainModels({ configured: models, cwd, fetch: outbound.fetch, measureCall }),
    models,
    modelNames: modelNames(models),
  };
}

function agentsConfiguration({ config, options, langgraph, outbound }: Base): AgentsConfiguration {
  return {
    configured: config.agents,
    cwd: agentsFolderOf(options),
    langgraph,
    home: config.data_home,
    version: options.version,
    graphConfig,
    openAi: openAiVariables,
    watch: options.watchAgents ?? false,
    models: config.models,
    fetch: outbound.fetch,
    turn: turnOptions(config),
  };
}

function customAuthOf(
  { customAccounts }: Surroundings,
  { runtime: { auth }, area: { customAuthorization } }: { runtime: AgentRuntime; area: ConversationArea },
): CustomAuth | null {
  if (!auth || !customAuthorization) return null;
  const authentication = new CustomAuthentication({
    auth,
    accountOf: (identity, requestId) => customAccounts.of(identity, requestId),
    timer: systemTimer,
  });
  return { authentication, decide: (call) => customAuthorization.decide(call) };
}

/** Threads that exist only as saved states get an owner before runs may continue in them. */
async function adoptThreads(
  { logs, clock }: Base,
  accounts: AccountStore,
  { orphans }: Pick<ConversationArea, 'orphans'>,
): Promise<void> {
  const admin = await accounts.findFirstAdmin({ system: 'adoption of threads' });
  if (!admin) return;
  const adopted = await adoptOrphanThreads({ ...orphans, adminId: admin.id, clock });
  if (adopted > 0)
    logs.conversation.info({ adopted }, 'Threads without an owner are the administrator’s now');
}

async function isUser(accounts: AccountStore, userId: string): Promise<boolean> {
  return (await accounts.find({ system: 'whether an account is still there' }, userId)) !== undefined;
}

async function storedAgent(
  store: AssistantStore,
  owner: Owner,
  assistantId: string,
): Promise<ResolvedAgent | undefined> {
  const row = await store.get(owner, assistantId);
  return row && resolvedAgent(row);
}
