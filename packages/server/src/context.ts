import { join } from 'node:path';
import { readResourceMetadata } from '@switchyard/contract/accounts/client-grant';
import { AccountStore } from './accounts/account-store.ts';
import { type AccountsArea, createAccounts } from './accounts/create-accounts.ts';
import { accountMigrations } from './accounts/migrations.ts';
import { SigningKeys } from './accounts/secrets/signing-keys.ts';
import { SessionEnds } from './accounts/session-ends.ts';
import type { AccountTables } from './accounts/tables.ts';
import {
  noLanggraphJson,
  type UsableLanggraphJson,
  usableLanggraphJson,
} from './agents/loading/usable-langgraph-json.ts';
import { setMissingVariables } from './config/env.ts';
import type { Config } from './config/schema.ts';
import { agentsFolderOf, type Base, type ContextOptions } from './context/base.ts';
import { type OpenedConversation, openConversation } from './context/open-conversation.ts';
import { openShared } from './context/shared.ts';
import { ThreadRetentionStore } from './conversation/expiry/thread-retention-store.ts';
import type { ConversationTables } from './conversation/tables.ts';
import { userRemovalBy } from './conversation/threads/user-removal.ts';
import { placeOfRun } from './conversation/timeline/run-traces.ts';
import { createDispatch, type DispatchArea } from './dispatch/create-dispatch.ts';
import type { OtherReplicas } from './dispatch/dispatch-parts.ts';
import { forgetDocumentsOf } from './dispatch/documents/user-document-store.ts';
import { forgetKeptOf } from './dispatch/files/kept-file-store.ts';
import { ReferenceWorker } from './dispatch/fleet/reference-worker.ts';
import { WorkerNames } from './dispatch/graphs/worker-names.ts';
import { Links } from './dispatch/links.ts';
import { dispatchMigrations } from './dispatch/migrations.ts';
import { forgetSharesBy, forgetSharesOf } from './dispatch/shares/share-store.ts';
import type { DispatchTables } from './dispatch/tables.ts';
import { agUiRoutes } from './doors/ag-ui/ag-ui-routes.ts';
import { createComfyApiDoor } from './doors/comfy-api/create-comfy-api-door.ts';
import { createComfyuiDoor } from './doors/comfyui/create-comfyui-door.ts';
import { mcpRoutes } from './doors/mcp/mcp-routes.ts';
import { createOpenaiDoor } from './doors/openai/create-openai-door.ts';
import { trustedProxies } from './http/access/client-ip.ts';
import { Guard, identityOf } from './http/access/guard.ts';
import type { Routes } from './http/app.ts';
import { Admission } from './http/body/admission.ts';
import { RequestTracker } from './http/exchange/request-tracker.ts';
import { Health } from './http/health/health.ts';
import type { HttpLimits } from './http/http-limits.ts';
import { OpenStreams } from './http/streams/open-streams.ts';
import { systemTimer } from './lib/async/timer.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { CloseStack } from './lib/close-stack.ts';
import { dayMs } from './lib/time-units.ts';
import { watchBackups } from './ops/backup/backup-record.ts';
import { Quiet } from './ops/backup/quiet.ts';
import { refuseUnfinishedRestore } from './ops/backup/unfinished-restore.ts';
import { openBlobStore } from './ops/blob-stores.ts';
import { type BootstrapOutcome, bootstrapAdmin } from './ops/bootstrap-admin.ts';
import { workflowUsageOf } from './ops/console-workflows.ts';
import { makeDataHome } from './ops/data-home.ts';
import { findAnyAccount } from './ops/find-account.ts';
import { enterDatabase, gatewayKindOf } from './ops/gateway-lease.ts';
import {
  accountOptions,
  approvalPolicy,
  databaseOptions,
  diskReserveBytes,
  dispatchOptions,
  homes,
  httpLimits,
  leaseLifeMs,
  proxySettings,
  registrationOf,
  secretSource,
  sharedHome,
  traceSettings,
  workerPrice,
  workerProxies,
  writtenFolders,
} from './ops/options-of-config.ts';
import { clientDocuments } from './ops/outbound-networks.ts';
import { poolSpansOf } from './ops/pool-spans.ts';
import { poolWaitsOf } from './ops/pool-waits.ts';
import { PoolWorkflows } from './ops/pool-workflows.ts';
import { FolderSizes } from './ops/system/folder-sizes.ts';
import { System } from './ops/system/system.ts';
import { systemRoutes } from './ops/system/system-routes.ts';
import { WorkflowBudget } from './ops/workflow-budget.ts';
import { Audit } from './platform/audit/audit.ts';
import { AuditStore } from './platform/audit/audit-store.ts';
import { auditMigrations } from './platform/audit/migrations.ts';
import type { AuditTables } from './platform/audit/tables.ts';
import type { Bus } from './platform/bus/bus.ts';
import { DatabaseClock } from './platform/clock/database-clock.ts';
import type { Database } from './platform/database/database.ts';
import { databaseNowMs, databaseTime } from './platform/database/database-time.ts';
import { databaseIdentity } from './platform/database/gateway-store.ts';
import { migrate } from './platform/database/migrate.ts';
import { openDatabase } from './platform/database/open.ts';
import { readTogether } from './platform/database/snapshot.ts';
import { nodeDisk } from './platform/files/disk.ts';
import { FreeSpace } from './platform/files/free-space.ts';
import { fileMigrations } from './platform/files/migrations.ts';
import { requireSharedFolder } from './platform/files/shared-folder.ts';
import { SharedFolderStore, type SharedFolderTables } from './platform/files/shared-folder-store.ts';
import { acquireDatabaseLock, acquireHomeLock } from './platform/home-lock.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import { guardedDownload } from './platform/outbound/guarded-calls.ts';
import { Outbound } from './platform/outbound/outbound.ts';
import { LeaseStore } from './platform/ownership/lease-store.ts';
import { ownershipMigrations } from './platform/ownership/migrations.ts';
import { Ownership } from './platform/ownership/ownership.ts';
import type { OwnershipTables } from './platform/ownership/tables.ts';
import { ThumbnailCache } from './platform/pictures/thumbnail-cache.ts';
import { databaseMeter, watchDatabase } from './platform/telemetry/database-metrics.ts';
import { areaLoggers, createLogger, type Logger } from './platform/telemetry/logger.ts';
import { Metrics } from './platform/telemetry/metrics.ts';
import { spanIdOfCall, traceparentOf } from './platform/telemetry/trace-ids.ts';
import { Traces } from './platform/telemetry/traces.ts';

/** Everything that a gateway consists of, except the server in front of it. */
export interface Context {
  logger: Logger;
  logs: Base['logs'];
  metrics: Metrics;
  health: Health;
  streams: OpenStreams;
  admission: Admission;
  tracker: RequestTracker;
  limits: HttpLimits;
  guard: Guard;
  database: Database<unknown>;
  bus: Bus;
  accounts: AccountsArea;
  /** Null when the area is switched off. */
  dispatch: DispatchArea | null;
  conversation: OpenedConversation | null;
  routes: Routes[];
  /** The routes of the listener for ComfyUI's page, which has an origin of its own; null when the page has none. */
  page: { guard: Guard; routes: Routes[]; setListeningPort(port: number): void } | null;
  /** Called once the gateway listens, because links in pushed messages point there. */
  setListeningUrl(url: string): void;
  /** Begins to work on jobs, tasks and runs. Call it once the gateway listens. */
  start(): Promise<void>;
  /** The outcome of the start for the first administrator. */
  bootstrap: BootstrapOutcome;
  registration: RegistrationFacts;
  close(): Promise<void>;
}

/** The facts that decide whether a stranger may make an account. */
export interface RegistrationFacts {
  mode: 'open' | 'closed';
  /** Null when the configuration says it and `langgraph.json` has nothing to do with it. */
  because: 'has auth' | 'cannot be used' | null;
}

/** More would need more memory than one process should take: a stream holds about 60 kB. */
const maxOpenStreams = 5_000;
/** For one user, not counting sockets. */
const maxStreamsPerUser = 1_000;

/**
 * The one place that creates the parts of a gateway. Everything that it has opened is closed again in reverse, even
 * when it fails half-way.
 */
export async function createContext(config: Config, options: ContextOptions): Promise<Context> {
  const opened = new CloseStack();
  try {
    return await assemble(config, options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function assemble(config: Config, options: ContextOptions, opened: CloseStack): Promise<Context> {
  const base = await openBase(config, options, opened);
  const { logger, logs, database, metrics, bus, proxies } = base;
  let listeningUrl = '';
  const accounts = newAccounts(base, { listeningUrl: () => listeningUrl });
  const bootstrap = await openFirstAdmin(base, accounts);

  const limits = httpLimits(config);
  const admission = new Admission({ limits, proxies });
  const guard = new Guard({
    authenticator: accounts.authenticator,
    csrf: accounts.csrf,
    proxies,
    allowedOrigins: [
      ...config.server.cors.origins,
      ...(config.server.public_url ? [config.server.public_url] : []),
    ],
    isQuiet: () => base.quiet.isQuiet,
  });
  const ends = new SessionEnds({
    bus,
    clock: base.clock,
    credentials: accounts.credentials,
    log: logs.accounts,
  });
  await ends.start();
  opened.add(() => ends.close());
  const streams = new OpenStreams({
    limit: maxOpenStreams,
    perUser: { limit: maxStreamsPerUser, userOf: (request) => identityOf(request).userId },
    endOf: (request) => ends.of(identityOf(request)),
  });
  const front = { accounts, guard, streams, admission, ends, listeningUrl: () => listeningUrl };
  const links = newLinks(base, front);
  const dispatch = config.areas.dispatch ? await openDispatch(base, { ...front, links }) : null;
  const policy = approvalPolicy(config);
  const workflows =
    dispatch &&
    new PoolWorkflows({
      ...dispatch,
      links,
      traceOfCall: base.traces && traceOfCall(base),
      approvals: policy && new WorkflowBudget({ ...dispatch, policy, price: workerPrice(config) }),
    });
  const conversation = config.areas.conversation
    ? await openConversation(base, {
        streams,
        guard,
        admission,
        endOf: (identity) => ends.of(identity),
        workflows,
        workflowUsage: dispatch && workflowUsageOf(dispatch.usage, workerPrice(config)),
        poolSpansOver: dispatch && poolSpansOf(dispatch.timelinesOver),
        poolWaitsOver: dispatch && poolWaitsOf(dispatch.waitingOver),
        accounts: accounts.store,
        customAccounts: accounts.customAccounts,
        callTickets: accounts.callTickets,
        listeningUrl: front.listeningUrl,
        // Push lives in dispatch. A gateway without it has no pages to tell.
        tell: (owner, news) => dispatch?.events.announce({ type: 'thread_news', owner, news }),
        diskReserveBytes,
      })
    : null;
  const doors = dispatch ? openDoors(base, { ...front, dispatch }) : noDoors;
  if (conversation?.customAuth) guard.useCustomAuth(conversation.customAuth.authentication);
  const health = newHealth(base);
  const system = openSystem(base, { dispatch, health });
  return {
    logger,
    logs,
    metrics,
    health,
    streams,
    admission,
    tracker: new RequestTracker({
      logger: logs.http,
      metrics,
      traces: base.traces,
      limit: limits.requestsInFlight,
    }),
    limits,
    guard,
    database,
    bus,
    accounts,
    dispatch,
    conversation,
    routes: [
      systemRoutes({ system }),
      ...accounts.routes,
      ...(dispatch?.routes ?? []),
      ...(conversation?.routes ?? []),
      ...doors.routes,
      ...agentDoors(base, { ...front, dispatch, conversation }),
    ],
    page: doors.page,
    setListeningUrl: (url) => {
      listeningUrl = url;
    },
    start: () =>
      base.quiet.whenOver(async () => {
        await base.jobs.start();
        await Promise.all([dispatch?.start(), conversation?.start()]);
      }),
    bootstrap,
    registration: registrationFacts(base),
    close: () => opened.close(),
  };
}

/** Tasks of an agent stand in the trace of its run, below the tool call. */
function traceOfCall({ database }: Pick<Base, 'database'>) {
  const { read } = database.withTables<ConversationTables>();
  return async ({ runId, toolCallId }: { runId: string; toolCallId: string }): Promise<string> =>
    traceparentOf((await placeOfRun(read, runId)).traceId, spanIdOfCall(runId, toolCallId));
}

function openFirstAdmin(
  { config, audit, logs, clock }: Base,
  accounts: AccountsArea,
): Promise<BootstrapOutcome> {
  return bootstrapAdmin({
    store: accounts.store,
    passwords: accounts.passwords,
    audit,
    home: sharedHome(config),
    // When each replica has a home of its own, the file may be in the home of another one.
    keepsPassword: config.cluster.allow_replicas_without_redis && config.files.shared_home === null,
    mode: config.auth.bootstrap,
    email: config.auth.admin_email,
    log: logs.accounts,
    clock,
  });
}

function registrationFacts({ config, langgraph }: Base): RegistrationFacts {
  const mode = registrationOf(config.auth, langgraph);
  if (langgraph.fault) return { mode, because: 'cannot be used' };
  return { mode, because: langgraph.auth === null ? null : 'has auth' };
}

function newHealth({ config, options, database, busState, clock, quiet }: Base): Health {
  const space = new FreeSpace({
    folders: writtenFolders(config),
    reserveBytes: diskReserveBytes,
    disk: nodeDisk,
  });
  return new Health({
    database: (deadlineMs) => database.ping(deadlineMs),
    storage: () => space.look(),
    cache: () => busState().cache,
    isQuiet: () => quiet.isQuiet,
    version: options.version,
    clock,
  });
}

/** The report for operators about the gateway as a whole. */
function openSystem(
  base: Base,
  { dispatch, health }: { dispatch: Pick<DispatchArea, 'upkeepOver'> | null; health: Health },
): System {
  const { config, options, opened, logs, database, clock } = base;
  const folders = new FolderSizes({
    homes: homes(config),
    clock,
    onFault: (err) => logs.platform.warn({ err }, 'The folders of the data home could not be measured'),
  });
  opened.add(() => folders.close());
  return new System({
    ...base,
    version: options.version,
    database,
    health,
    together: readTogether(database, (frozen) => {
      const found = new AccountStore(frozen.withTables<AccountTables>());
      const records = new AuditStore(frozen.withTables<AuditTables>());
      const threads = new ThreadRetentionStore(frozen.withTables<ConversationTables>());
      return {
        database: frozen,
        jobs: base.jobs.recordsIn(frozen),
        leases: new LeaseStore(frozen.withTables<OwnershipTables>(), databaseTime(frozen)),
        upkeep: dispatch?.upkeepOver(frozen) ?? null,
        countAudit: (beforeMs, limit) => records.countBefore(beforeMs, limit),
        countThreads: config.areas.conversation ? (before, limit) => threads.countAll(before, limit) : null,
        emailOf: async (userId) =>
          (await found.find({ system: 'the report about the storage' }, userId))?.email ?? null,
      };
    }),
    audit: { part: (actor, entry) => base.audit.part(actor, entry), keptMs: config.audit.retention },
    threadsKeptMs: config.conversation.thread_retention,
    folders,
    writtenFolders: writtenFolders(config),
    disk: nodeDisk,
    clock,
  });
}

async function openBase(config: Config, options: ContextOptions, opened: CloseStack): Promise<Base> {
  const { log } = config.observability;
  const logger = options.logger ?? createLogger(log);
  const logs = areaLoggers(logger, log.levels);
  makeDataHome(config.data_home);
  const home = await acquireHomeLock(config.data_home);
  opened.add(() => home.release());
  if (config.database.backend === 'sqlite') {
    const lock = await acquireDatabaseLock(config.database.sqlite_dir);
    opened.add(() => lock.release());
  }

  refuseUnfinishedRestore(config.data_home);

  const metrics = new Metrics({ version: options.version });
  opened.add(() => metrics.close());
  const database = await openDatabase(databaseOptions(config, logs.platform), databaseMeter(metrics));
  opened.add(() => database.close());
  watchDatabase(metrics, {
    database,
    connections: database.dialect === 'sqlite' ? 1 : config.database.pool_size,
  });
  await databaseIdentity(database);
  const quiet = await Quiet.open({ database, log: logs.platform });
  opened.add(() => quiet.close());
  watchDisks(metrics, config);
  watchBackups(metrics, sharedHome(config));
  const clock = await openClock({ logs, database, opened });
  await migrate(database, 'ownership', ownershipMigrations);
  const ownership = await openOwnership({ config, logs, database, opened });
  await checkSharedFolder(config, database);
  await migrate(database, 'accounts', accountMigrations);
  logs.platform.info({ database: database.backend, bus: config.bus.backend }, 'Effective backends');

  const keys = SigningKeys.open(secretSource(config), { clock, log: logs.platform });
  opened.add(() => keys.close());
  const tracing = traceSettings(config, options.version);
  const traces = tracing && (await Traces.open(tracing, logger));
  opened.add(async () => traces?.close());
  const outbound = new Outbound(proxySettings(config));
  opened.add(() => outbound.close());
  const shared = await openShared({
    config,
    logger: logs.platform,
    opened,
    database,
    ownership,
    keys,
    clock,
    metrics,
  });
  const { jobs } = shared;
  const audit = await openAudit({ config, database, jobs, clock });
  const proxies = trustedProxies(config.auth.trusted_proxies);
  return {
    config,
    langgraph: langgraphOf({ config, options, logs }),
    options,
    opened,
    logger,
    logs,
    database,
    clock,
    ownership,
    ...shared,
    audit,
    metrics,
    quiet,
    keys,
    proxies,
    traces,
    outbound,
  };
}

function watchDisks(metrics: Metrics, config: Config): void {
  const places = {
    data_home: config.data_home,
    shared_home: config.files.shared_home,
    database: config.database.backend === 'sqlite' ? config.database.sqlite_dir : null,
  };
  for (const [place, folder] of Object.entries(places))
    if (folder !== null) metrics.fill(metrics.diskFree, () => nodeDisk.freeBytes(folder), { place });
}

function langgraphOf({
  config,
  options,
  logs,
}: Pick<Base, 'config' | 'options' | 'logs'>): UsableLanggraphJson {
  if (!config.areas.conversation) return noLanggraphJson;
  return usableLanggraphJson({
    cwd: agentsFolderOf(options),
    corsOrigins: config.server.cors.origins,
    setVariables: setMissingVariables,
    log: logs.agents,
  });
}

/** The clock of a database on this machine's disk is that of this machine. */
async function openClock({
  logs,
  database,
  opened,
}: Pick<Base, 'logs' | 'database' | 'opened'>): Promise<Clock> {
  if (database.dialect === 'sqlite') return systemClock;
  const clock = await DatabaseClock.open({
    ask: () => databaseNowMs(database, database.read),
    log: logs.platform,
  });
  opened.add(() => clock.close());
  return clock.now;
}

async function checkSharedFolder({ files }: Config, database: Database<unknown>): Promise<void> {
  if (files.shared_home === null) return;
  await migrate(database, 'files', fileMigrations);
  await requireSharedFolder({
    folder: files.shared_home,
    database: await databaseIdentity(database),
    store: new SharedFolderStore(database.withTables<SharedFolderTables>()),
  });
}

async function openAudit({
  config,
  database,
  jobs,
  clock,
}: {
  config: Config;
  database: Database<unknown>;
  jobs: Jobs;
  clock: Clock;
}): Promise<Audit> {
  await migrate(database, 'audit', auditMigrations);
  const audit = new Audit(new AuditStore(database.withTables<AuditTables>()), clock);
  jobs.register('audit.forget', () => audit.forgetOlderThan(config.audit.retention), { everyMs: dayMs });
  return audit;
}

/** Leases of an ended process expire in time. SQLite has one process, which frees them at once. */
async function openOwnership(parts: {
  config: Config;
  logs: Base['logs'];
  database: Database<unknown>;
  opened: CloseStack;
}): Promise<Ownership> {
  const { config, logs, database, opened } = parts;
  const ownership = new Ownership({
    database: database.withTables<OwnershipTables>(),
    leaseLifeMs: leaseLifeMs(config),
  });
  opened.add(() => ownership.close());
  if (database.dialect === 'sqlite') await ownership.freeAll();
  else {
    opened.add(
      await enterDatabase({
        ownership,
        kind: gatewayKindOf(config),
        onLost: (err) => logs.platform.error({ err }, 'The lease on the database was lost'),
      }),
    );
  }
  return ownership;
}

type Doors = Pick<Context, 'routes' | 'page'>;

const noDoors: Doors = { routes: [], page: null };

interface Front {
  accounts: AccountsArea;
  guard: Guard;
  streams: OpenStreams;
  admission: Admission;
  ends: SessionEnds;
  listeningUrl: () => string;
}

/** Opens the dispatch area with the parts that it needs. It begins to work once the gateway listens. */
async function openDispatch(
  base: Base,
  { accounts, guard, streams, admission, ends, links }: Front & { links: Links },
): Promise<DispatchArea> {
  const { config, options, opened, logs, database, clock, ownership, jobs, audit, metrics } = base;
  await migrate(database, 'dispatch', dispatchMigrations);
  const content = await openBlobStore({ config, database, clock, log: logs.platform, metrics });
  opened.add(async () => content.close());
  const thumbnails = new ThumbnailCache({
    root: join(config.data_home, 'thumbnails'),
    maxFiles: 50_000,
    maxBytes: 512 * 1024 * 1024,
    reserveBytes: diskReserveBytes,
  });
  const area = createDispatch({
    database: database.withTables<DispatchTables>(),
    ownership,
    others: otherReplicas(base),
    jobs,
    content: content.store,
    thumbnails,
    links,
    workerNames: new WorkerNames(base.keys.for('names on workers')),
    guard,
    openStreams: streams,
    admission,
    metrics,
    authenticator: accounts.authenticator,
    outbound: base.outbound,
    traces: base.traces,
    audit,
    findUser: (name) => findAnyAccount(accounts.store, name),
    emailsOf: (userIds) => accounts.store.emailsOf({ system: 'names of owners who share' }, userIds),
    endOf: (identity) => ends.of(identity),
    clock,
    log: logs.dispatch,
    options: {
      ...dispatchOptions(config),
      ...(options.executionTimeouts && { timeouts: options.executionTimeouts }),
    },
  });
  opened.add(() => area.close());
  const builtIn =
    options.referenceWorker &&
    new ReferenceWorker({
      ...area,
      process: options.referenceWorker,
      instances: area.instanceStore,
      clock,
      log: logs.dispatch,
    });
  if (builtIn) {
    opened.add(() => builtIn.close());
    area.onLeading((isLeading) => (isLeading ? builtIn.start() : builtIn.rest()));
  }
  return area;
}

function openDoors(base: Base, front: Front & { dispatch: DispatchArea }): Doors {
  const { comfyui, comfy_api: comfyApi } = base.config.doors;
  const { routes, page } = comfyui.enabled ? openComfyuiDoor(base, front) : noDoors;
  if (!comfyApi.enabled) return { routes, page };
  const shared = { ...front, openStreams: front.streams, clock: base.clock };
  return {
    page,
    routes: [...routes, createComfyApiDoor({ ...shared, options: dispatchOptions(base.config) })],
  };
}

/** The doors to agents, which need no pool. */
function agentDoors(
  { config, options, database, logs, streamLog, clock, outbound }: Base,
  {
    dispatch,
    conversation,
    ...front
  }: Front & { dispatch: DispatchArea | null; conversation: OpenedConversation | null },
): Routes[] {
  const shared = { ...front, openStreams: front.streams };
  const { ag_ui: agUi, mcp, openai } = config.doors;
  const agUiDoor = agUi.enabled && conversation && agUiRoutes({ ...shared, ...conversation });
  const mcpDoor =
    mcp.enabled &&
    mcpRoutes({
      ...shared,
      pool: dispatch && { ...dispatch, waiting: dispatch.waitingOver(database) },
      agents: conversation,
      price: workerPrice(config),
      version: options.version,
      log: logs.doors,
      resourceMetadata: mcp.oauth.enabled
        ? () => issuerOf({ config }, front) + readResourceMetadata.url
        : null,
    });
  const openaiDoor =
    openai.enabled &&
    createOpenaiDoor({
      ...shared,
      dispatch,
      conversation: conversation && { ...conversation, ...conversation.talk },
      streamLog,
      showsTools: openai.show_tools,
      download: (url, signal) => guardedDownload(outbound, url, { allowPrivate: false, signal }),
      clock,
      log: logs.doors,
    });
  return [agUiDoor, mcpDoor, openaiDoor].filter((routes) => routes !== false && routes !== null);
}

function openComfyuiDoor(
  base: Base,
  { dispatch, guard, streams, admission, ends, accounts }: Front & { dispatch: DispatchArea },
): Doors {
  const { config, opened, clock, logs } = base;
  const { port, public_url: publicUrl, page: server, page_routes: listed } = config.doors.comfyui;
  const pageGuard = port === null ? null : newPageGuard(base, accounts);
  let listeningPort: number | null = null;
  const door = createComfyuiDoor({
    dispatch,
    guard,
    openStreams: streams,
    admission,
    endOf: (identity) => ends.of(identity),
    clock,
    log: logs.doors,
    limits: dispatchOptions(config).limits,
    page: pageGuard && { guard: pageGuard, server, listed, proxies: workerProxies(config) },
    pageOrigin: (gateway) => {
      if (publicUrl !== null || listeningPort === null || gateway === undefined) return publicUrl;
      return `http://${new URL(gateway).hostname}:${listeningPort}`;
    },
    sessions: accounts.sessions,
  });
  opened.add(() => door.close());
  const page = pageGuard &&
    door.pageRoutes && {
      guard: pageGuard,
      routes: door.pageRoutes,
      setListeningPort: (taken: number) => {
        listeningPort = taken;
      },
    };
  return { routes: door.routes, page };
}

/**
 * Returns the guard for the origin of ComfyUI's page. There, neither the session nor the gateway's trusted origins
 * count.
 */
function newPageGuard({ config, proxies, quiet }: Base, { authenticator, csrf }: AccountsArea): Guard {
  const { public_url: publicUrl } = config.doors.comfyui;
  return new Guard({
    authenticator,
    csrf,
    proxies,
    allowedOrigins: publicUrl === null ? [] : [publicUrl],
    isQuiet: () => quiet.isQuiet,
    page: { publicUrl },
  });
}

/** Null when this gateway is the only one on its database. */
function otherReplicas({ config, database, bus }: Base): OtherReplicas | null {
  const kind = gatewayKindOf(config);
  if (database.dialect === 'sqlite' || kind === 'only') return null;
  return { bus: kind === 'with_redis' ? bus : null };
}

function newLinks({ config, keys, clock }: Base, { listeningUrl }: Pick<Front, 'listeningUrl'>): Links {
  return new Links({
    keys: keys.for('file links'),
    clock,
    publicUrl: config.server.public_url,
    listeningUrl,
  });
}

/** The address under which clients know the gateway that lets them sign in. */
function issuerOf({ config }: Pick<Base, 'config'>, { listeningUrl }: Pick<Front, 'listeningUrl'>): string {
  return config.server.public_url ?? listeningUrl();
}

function newAccounts(base: Base, { listeningUrl }: Pick<Front, 'listeningUrl'>): AccountsArea {
  const { config, langgraph, options, opened, logs, database, clock } = base;
  const { bus, counters, jobs, audit, quiet, keys, proxies, outbound } = base;
  const accounts = createAccounts({
    database: database.withTables<AccountTables>(),
    counters,
    bus,
    audit,
    proxies,
    log: logs.accounts,
    clock,
    timer: systemTimer,
    cleanups: [
      ...(config.areas.conversation ? [userRemovalBy(jobs)] : []),
      ...(config.areas.dispatch
        ? [
            { plan: forgetDocumentsOf },
            { plan: forgetKeptOf },
            { plan: forgetSharesOf, planDisabling: forgetSharesBy },
          ]
        : []),
    ],
    options: {
      ...accountOptions(config, langgraph),
      keys,
      passwordCost: options.passwordCost,
      isQuiet: () => quiet.isQuiet,
      oauth: {
        isEnabled: config.doors.mcp.enabled && config.doors.mcp.oauth.enabled,
        issuer: () => issuerOf(base, { listeningUrl }),
        fetch: clientDocuments(outbound),
      },
    },
  });
  opened.add(() => accounts.close());
  return accounts;
}
