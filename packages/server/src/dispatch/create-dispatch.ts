import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import type { Guard } from '../http/access/guard.ts';
import type { Authenticator, Identity } from '../http/access/identity.ts';
import type { Routes } from '../http/app.ts';
import type { Admission } from '../http/body/admission.ts';
import type { OpenStreams } from '../http/streams/open-streams.ts';
import { type Clock, steadyClock } from '../lib/clock.ts';
import { dayMs, hourMs } from '../lib/time-units.ts';
import type { WorkerPrice } from '../lib/worker-price.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Database } from '../platform/database/database.ts';
import { type ReadTogether, readTogether } from '../platform/database/snapshot.ts';
import type { BlobStore } from '../platform/files/blob-store.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { ThumbnailCache } from '../platform/pictures/thumbnail-cache.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { type ExecutionTimeouts, executionTimeouts } from './attempts/execution-timeouts.ts';
import { taskBatchRoutes } from './batches/task-batch-routes.ts';
import { TaskBatchStore } from './batches/task-batch-store.ts';
import { TaskBatches } from './batches/task-batches.ts';
import { createOrders, createReplicas } from './create-replicas.ts';
import { DispatchEvents } from './dispatch-events.ts';
import { FileArchives } from './files/file-archives.ts';
import { fileRoutes } from './files/file-routes.ts';
import type { Links } from './files/links.ts';
import { OwnFiles } from './files/own-files.ts';
import { StoredFileStore } from './files/stored-file-store.ts';
import { StoredFiles } from './files/stored-files.ts';
import { Thumbnails } from './files/thumbnails.ts';
import { Fleet } from './fleet/fleet.ts';
import { InstanceMetrics } from './fleet/instance-metrics.ts';
import { instanceRoutes } from './fleet/instance-routes.ts';
import { Instances } from './fleet/instances.ts';
import type { WorkerNames } from './graphs/worker-names.ts';
import { Configuration } from './instances/configuration.ts';
import { configurationRoutes } from './instances/configuration-routes.ts';
import { FleetJournal } from './instances/fleet-journal.ts';
import { InstanceEventStore } from './instances/instance-event-store.ts';
import { type InstanceRow, InstanceStore } from './instances/instance-store.ts';
import { NodeInputStore } from './instances/node-input-store.ts';
import { SettingsStore } from './instances/settings-store.ts';
import { workerAddress } from './instances/worker-address.ts';
import { TaskFront } from './intake/task-front.ts';
import { taskRoutes } from './intake/task-routes.ts';
import { Tasks } from './intake/tasks.ts';
import { measureDispatch } from './monitor/dispatch-metrics.ts';
import { Monitor } from './monitor/monitor.ts';
import { monitorRoutes } from './monitor/monitor-routes.ts';
import { type BoardStores, PoolBoard } from './monitor/pool-board.ts';
import { PoolLoadStore } from './monitor/pool-load-store.ts';
import { DispatchUpkeep } from './monitor/upkeep.ts';
import { UpkeepStore } from './monitor/upkeep-store.ts';
import { PushHub } from './push/push-hub.ts';
import { pushRoute } from './push/push-route.ts';
import { Matchmaker } from './queue/matchmaker.ts';
import { PauseStore } from './queue/pause-store.ts';
import { Pauses } from './queue/pauses.ts';
import { QueueControl } from './queue/queue-control.ts';
import { queueRoutes } from './queue/queue-routes.ts';
import { Lineage } from './recipes/lineage.ts';
import { LineageStore } from './recipes/lineage-store.ts';
import { recipeRoutes } from './recipes/recipe-routes.ts';
import { RecipeStore } from './recipes/recipe-store.ts';
import { Recipes } from './recipes/recipes.ts';
import type { DispatchOrders } from './replicas/dispatch-orders.ts';
import { InstancesElsewhere } from './replicas/replicas.ts';
import type { DispatchTables } from './tables.ts';
import { AttemptStore } from './tasks/attempt-store.ts';
import { NodeTimes } from './tasks/node-times.ts';
import { TaskCostStore } from './tasks/task-cost-store.ts';
import { TaskCosts } from './tasks/task-costs.ts';
import { TaskDurationStore } from './tasks/task-duration-store.ts';
import { TaskListStore } from './tasks/task-list-store.ts';
import { TaskMarks } from './tasks/task-marks.ts';
import { taskNodeRoutes } from './tasks/task-node-routes.ts';
import { TaskNodes } from './tasks/task-nodes.ts';
import { TaskStore } from './tasks/task-store.ts';
import { TaskUsageStore } from './tasks/task-usage-store.ts';
import { taskTimelineRoutes } from './timeline/task-timeline-routes.ts';
import { TaskTimelineStore } from './timeline/task-timeline-store.ts';
import { TaskTimelines } from './timeline/task-timelines.ts';
import { Estimates } from './waiting/estimates.ts';
import { Waiting } from './waiting/waiting.ts';
import { waitingRoutes } from './waiting/waiting-routes.ts';
import { WorkflowOutlooks } from './waiting/workflow-outlooks.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { WebhookStore } from './webhooks/webhook-store.ts';
import { WebhookTests } from './webhooks/webhook-tests.ts';
import { Webhooks } from './webhooks/webhooks.ts';
import { ComfyuiClient } from './worker-client/comfyui/comfyui-client.ts';
import { SavedWorkflowStore } from './workflows/saved-workflow-store.ts';
import { SavedWorkflows } from './workflows/saved-workflows.ts';
import { workflowRoutes } from './workflows/workflow-routes.ts';

export interface DispatchOptions {
  /** The servers of the configuration file; used until someone changes the servers over the API. */
  seed: SettingsInput | null;
  limits: {
    queued: number;
    queuedPerUser: number;
    uploadBytes: number;
    outputBytes: number;
    quotaBytes: number;
    socketsPerUser: number;
  };
  /** Older files are deleted; null keeps every file for ever. */
  retentionMs: number | null;
  /** Whether webhooks may call loopback and private networks. */
  webhooksToPrivateAddresses: boolean;
  /** For timelines; null when workers have no price. */
  workerPrice: WorkerPrice | null;
  timeouts?: Partial<ExecutionTimeouts>;
}

interface DispatchDependencies {
  database: Database<DispatchTables>;
  ownership: Ownership;
  /** Null when this gateway is alone on its database. */
  others: OtherReplicas | null;
  jobs: Jobs;
  content: BlobStore;
  thumbnails: ThumbnailCache;
  links: Links;
  workerNames: WorkerNames;
  guard: Guard;
  openStreams: OpenStreams;
  admission: Admission;
  metrics: Metrics;
  authenticator: Authenticator;
  audit: Audit;
  /** Finds an account that may sign in, by its id or its e-mail address. */
  findUser: (name: string) => Promise<{ userId: string } | null>;
  /** Aborts when the session or token behind an identity has ended. */
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  clock: Clock;
  log: Logger;
  options: DispatchOptions;
}

/** Other gateways on the same database. */
export interface OtherReplicas {
  /** What all of them hear; null when they find everything in the rows. */
  bus: Bus | null;
}

export interface DispatchArea {
  routes: Routes[];
  tasks: Tasks;
  savedWorkflows: SavedWorkflows;
  files: StoredFiles;
  costs: TaskCosts;
  usage: ReadTogether<TaskUsageStore>;
  /** The attempts of a task with their nodes, for callers that have checked whose task it is. */
  taskNodes: TaskNodes;
  waitingOver: (frozen: Database<unknown>) => Waiting;
  timelinesOver: (frozen: Database<unknown>) => TaskTimelines;
  instances: Instances;
  events: DispatchEvents;
  fleet: Fleet;
  instanceStore: InstanceStore;
  configuration: Configuration;
  upkeepOver: (frozen: Database<unknown>) => DispatchUpkeep;
  /** Called when this replica has become the dispatcher, and when it is not any more. */
  onLeading(listener: (isLeading: boolean) => void): void;
  /** Fills the queue from the rows, then waits to be the dispatcher, which looks after instances and hands out tasks. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const defaultProbeTimeoutSeconds = 2;
const deliveriesKeptMs = 30 * dayMs;
const batchesKeptMs = 30 * dayMs;
const instanceEventsKeptMs = 30 * dayMs;
/** The limit for all instances together, since addresses come and go. */
const maxInstanceEvents = 100_000;

export function createDispatch(dependencies: DispatchDependencies): DispatchArea {
  const { database, audit, metrics, clock, log, options } = dependencies;
  const records = openRecords(dependencies);
  const { events, matchmaker, instanceEvents, links } = records;
  const configuration = new Configuration({ store: new SettingsStore(database), events, audit, clock });
  const orders = createOrders(dependencies);
  const fleet = createFleet(dependencies, { records, configuration, orders });
  configuration.onChange(() => fleet.apply());
  records.pauses.onChange(() => fleet.reconsider());
  const estimates = new Estimates({ store: records.durations, steadyClock });
  const waitingOver = createWaiting(dependencies, { ...records, fleet, estimates });
  const waiting = waitingOver(database);
  const tasks = createTasks(dependencies, { records, fleet, waiting, orders });
  const front = new TaskFront({ store: records.store, queue: matchmaker, events, audit, clock });
  const batches = createBatches(dependencies, { tasks, front, events });
  const { savedWorkflows, outlooks } = createWorkflows(dependencies, { records, fleet, tasks, estimates });
  const instances = new Instances({ store: records.instanceStore, instanceEvents, fleet, events, audit });
  const timelinesOver = createTimelines(dependencies, records);
  const { together, monitor, board } = createMonitor(dependencies, { records, instances, tasks });
  const hub = new PushHub({
    events,
    together,
    instances,
    pauses: records.pauses,
    links,
    clock,
    steadyClock,
    onFault: (error) => log.warn({ err: error }, 'a snapshot for push could not be made'),
  });
  records.instanceMetrics.watch(fleet);
  const stopMeasuring = measureDispatch({ metrics, events, matchmaker, fleet, hub });
  registerSweeps(dependencies, records);
  const placing = createReplicas(dependencies, {
    ...records,
    configuration,
    fleet,
    batches,
    hub,
    monitor,
    orders,
  });

  return {
    routes: routesOf(dependencies, {
      ...records,
      configuration,
      tasks,
      front,
      savedWorkflows,
      instances,
      timelines: timelinesOver(database),
      monitor,
      board,
      hub,
      batches,
      waiting,
      outlooks,
      control: createQueueControl(dependencies, records, instances),
    }),
    tasks,
    savedWorkflows,
    files: records.files,
    costs: new TaskCosts(new TaskCostStore(database), clock),
    usage: readTogether(database, (frozen) => new TaskUsageStore(frozen)),
    taskNodes: records.taskNodes,
    waitingOver: (frozen) => waitingOver(frozen.withTables()),
    timelinesOver: (frozen) => timelinesOver(frozen.withTables()),
    instances,
    events,
    fleet,
    instanceStore: records.instanceStore,
    configuration,
    onLeading: (listener) => placing.role.onChange(listener),
    upkeepOver: (frozen) =>
      new DispatchUpkeep({
        store: new UpkeepStore(frozen.withTables()),
        filesKeptMs: options.retentionMs,
        deliveriesKeptMs,
        instanceEventsKeptMs,
      }),
    start: async () => {
      await configuration.load(options.seed);
      await batches.start();
      await placing.start();
    },
    close: async () => {
      stopMeasuring();
      hub.close();
      monitor.close();
      await placing.stop();
      await records.marks.settle();
      await records.journal.settle();
      await placing.close();
    },
  };
}

type Records = ReturnType<typeof openRecords>;

/** What tasks, instances and files are kept in, and what announces their changes. */
function openRecords({
  database,
  jobs,
  content,
  links,
  audit,
  metrics,
  clock,
  log,
  options,
}: DispatchDependencies) {
  const events = new DispatchEvents((error, event) =>
    log.error({ err: error, event: event.type }, 'a listener of dispatch events failed'),
  );
  const store = new TaskStore(database);
  const attempts = new AttemptStore(database);
  const fileStore = new StoredFileStore(database);
  const matchmaker = new Matchmaker({ clock });
  const pauseStore = new PauseStore(database);
  const pauses = new Pauses(pauseStore);
  const timeouts = { ...executionTimeouts, ...options.timeouts };
  const marks = new TaskMarks({
    store: attempts,
    onFault: (error) => log.warn({ err: error }, 'marks of running tasks could not be written'),
  });
  const webhookStore = new WebhookStore(database);
  const webhooks = new Webhooks({
    store: webhookStore,
    jobs,
    links,
    policy: { allowPrivate: options.webhooksToPrivateAddresses },
    audit,
    clock,
    log,
  });
  events.listenHere((event) => {
    if (event.type === 'task_ended') webhooks.wake(event.task.id);
  });
  const instanceEvents = new InstanceEventStore(database);
  const instanceMetrics = new InstanceMetrics(metrics);
  const journal = new FleetJournal({
    store: instanceEvents,
    count: instanceMetrics.count,
    countUnrecorded: instanceMetrics.countUnrecorded,
    clock,
    log,
  });
  const durations = new TaskDurationStore(database);
  const nodeTimes = new NodeTimes({ store: durations, steadyClock });
  return {
    events,
    store,
    attempts,
    durations,
    nodeTimes,
    taskNodes: new TaskNodes({ tasks: store, attempts, times: nodeTimes }),
    fileStore,
    instanceStore: new InstanceStore(database),
    nodeInputs: new NodeInputStore(database, clock),
    matchmaker,
    pauseStore,
    pauses,
    timeouts,
    marks,
    files: new StoredFiles({ store: fileStore, content, clock, links, events, limits: options.limits }),
    links,
    webhookStore,
    webhooks,
    instanceEvents,
    instanceMetrics,
    journal,
  };
}

function createFleet(
  { workerNames, clock, log }: DispatchDependencies,
  {
    records,
    configuration,
    orders,
  }: { records: Records; configuration: Configuration; orders: DispatchOrders | null },
): Fleet {
  const { events, store, attempts, marks, files, journal, timeouts, webhooks, nodeInputs } = records;
  return new Fleet({
    store: records.instanceStore,
    tasks: store,
    elsewhere: orders && new InstancesElsewhere(orders),
    matchmaker: records.matchmaker,
    pauses: records.pauses,
    events,
    journal,
    attemptDeps: {
      tasks: store,
      attempts,
      marks,
      files,
      workerNames,
      events,
      journal,
      clock,
      steadyClock,
      timeouts,
      insertKept: (trx, output) => files.insertKept(trx, output),
      withEnd: (trx, task) => webhooks.enqueue(trx, task),
    },
    healthCheck: () => configuration.current.healthCheck,
    patienceOf: ({ serverId }) => {
      const server = configuration.current.servers.find(({ id }) => id === serverId);
      return server?.patience ?? null;
    },
    newClient: (row, onEvent) =>
      new ComfyuiClient({
        ...connectionTo(row, configuration),
        askTimeoutMs: timeouts.askMs,
        clientId: row.clientId,
        onEvent,
      }),
    connectionOf: (row) => JSON.stringify(connectionTo(row, configuration)),
    learnInputs: (inputs) => nodeInputs.learn(inputs),
    clock,
    steadyClock,
    log,
  });
}

function createWaiting(
  { clock }: DispatchDependencies,
  { matchmaker, pauses, fleet, estimates }: Records & { fleet: Fleet; estimates: Estimates },
): (rows: Database<DispatchTables>) => Waiting {
  return (rows) => {
    const together = readTogether(rows, (frozen) => ({
      tasks: new TaskStore(frozen),
      attempts: new AttemptStore(frozen),
      instances: new InstanceStore(frozen),
    }));
    return new Waiting({ together, queue: matchmaker, fleet, pauses, estimates, clock });
  };
}

function createTimelines(
  { clock, options }: DispatchDependencies,
  { nodeTimes: times }: Records,
): (rows: Database<DispatchTables>) => TaskTimelines {
  return (rows) => {
    const together = readTogether(rows, (frozen) => ({
      store: new TaskTimelineStore(frozen),
      nodes: new TaskNodes({ tasks: new TaskStore(frozen), attempts: new AttemptStore(frozen), times }),
      instances: new InstanceStore(frozen),
    }));
    return new TaskTimelines({ together, price: options.workerPrice, clock });
  };
}

/** Saved workflows, and what is said about them before they run. */
function createWorkflows(
  { database, clock, options }: DispatchDependencies,
  parts: { records: Records; fleet: Fleet; tasks: Tasks; estimates: Estimates },
): { savedWorkflows: SavedWorkflows; outlooks: WorkflowOutlooks } {
  const { records, fleet, tasks, estimates } = parts;
  const savedWorkflows = new SavedWorkflows({
    store: new SavedWorkflowStore(database),
    nodeInputs: records.nodeInputs,
    tasks,
    clock,
  });
  const outlooks = new WorkflowOutlooks({
    savedWorkflows,
    instances: records.instanceStore,
    fleet,
    estimates,
    price: options.workerPrice,
    clock,
  });
  return { savedWorkflows, outlooks };
}

function createTasks(
  { database, links, others, audit, clock, options }: DispatchDependencies,
  {
    records,
    fleet,
    waiting,
    orders,
  }: { records: Records; fleet: Fleet; waiting: Waiting; orders: DispatchOrders | null },
): Tasks {
  const { events, store, files, fileStore, nodeInputs, webhooks } = records;
  return new Tasks({
    store,
    lists: new TaskListStore(database),
    together: readTogether(database, (frozen) => ({
      tasks: new TaskStore(frozen),
      attempts: new AttemptStore(frozen),
    })),
    queue: records.matchmaker,
    events,
    ownFiles: new OwnFiles({ files: fileStore, nodeInputs }),
    fileNames: (owner, fileIds) => files.namesOnWorker(owner, fileIds),
    requireCapable: (requirement) => fleet.requireCapable(requirement),
    doubtsAbout: (requirement) => fleet.doubtsAbout(requirement),
    outlooks: (rows) => waiting.outlooks(rows),
    askToStop: (taskId) => {
      if (!fleet.cancel(taskId)) orders?.send({ kind: 'stop', taskId });
    },
    links,
    webhooks,
    audit,
    clock,
    limits: options.limits,
    others: others === null ? 'none' : others.bus === null ? 'unheard' : 'heard',
  });
}

function createMonitor(
  { database, clock }: DispatchDependencies,
  { records, instances, tasks }: { records: Records; instances: Instances; tasks: Tasks },
): { together: ReadTogether<BoardStores>; monitor: Monitor; board: PoolBoard } {
  const together = readTogether(database, (frozen) => ({
    instances: new InstanceStore(frozen),
    tasks: new TaskStore(frozen),
    lists: new TaskListStore(frozen),
    load: new PoolLoadStore(frozen),
  }));
  const { events, pauses } = records;
  const monitor = new Monitor({ together, instances, events, pauses, clock, steadyClock });
  return { together, monitor, board: new PoolBoard({ together, monitor, tasks, clock }) };
}

function createBatches(
  { database, jobs, audit, clock }: DispatchDependencies,
  { tasks, front, events }: { tasks: Tasks; front: TaskFront; events: DispatchEvents },
): TaskBatches {
  const store = new TaskBatchStore(database);
  const batches = new TaskBatches({
    store,
    lists: new TaskListStore(database),
    tasks,
    front,
    events,
    jobs,
    audit,
    clock,
  });
  jobs.register('dispatch.forget-batches', () =>
    batches.forgetFinishedBefore(isoBefore(clock, batchesKeptMs)),
  );
  jobs.every('dispatch.forget-batches', dayMs);
  return batches;
}

function createQueueControl(
  { audit, findUser, clock }: DispatchDependencies,
  { pauseStore, pauses, events }: Records,
  instances: Instances,
): QueueControl {
  return new QueueControl({
    store: pauseStore,
    pauses,
    events,
    audit,
    findUser,
    knownPools: async () => [...new Set((await instances.list()).flatMap(({ tags }) => tags))],
    clock,
  });
}

/** What is forgotten in time. */
function registerSweeps({ jobs, thumbnails, clock, options }: DispatchDependencies, records: Records): void {
  const { store, files, fileStore, webhookStore, instanceEvents } = records;
  jobs.register('dispatch.forget-keys', () => store.forgetIdempotencyKeysBefore(isoBefore(clock, dayMs)));
  jobs.every('dispatch.forget-keys', hourMs);
  jobs.register('dispatch.sweep-files', async ({ signal }) => {
    await files.removeExpired({ olderThanMs: options.retentionMs, signal });
    await thumbnails.removeUnreferenced((sha256s) => fileStore.referenced(sha256s), signal);
  });
  jobs.every('dispatch.sweep-files', dayMs);
  jobs.register('dispatch.forget-deliveries', () =>
    webhookStore.deleteDeliveriesBefore(isoBefore(clock, deliveriesKeptMs)),
  );
  jobs.every('dispatch.forget-deliveries', dayMs);
  jobs.register('dispatch.forget-instance-events', () =>
    instanceEvents.forget({ beforeMs: clock() - instanceEventsKeptMs, keep: maxInstanceEvents }),
  );
  jobs.every('dispatch.forget-instance-events', hourMs);
}

function routesOf(
  dependencies: DispatchDependencies,
  parts: Pick<
    Records,
    'files' | 'webhookStore' | 'webhooks' | 'taskNodes' | 'store' | 'matchmaker' | 'events'
  > & {
    configuration: Configuration;
    tasks: Tasks;
    front: TaskFront;
    savedWorkflows: SavedWorkflows;
    instances: Instances;
    timelines: TaskTimelines;
    monitor: Monitor;
    board: PoolBoard;
    hub: PushHub;
    waiting: Waiting;
    outlooks: WorkflowOutlooks;
    control: QueueControl;
    batches: TaskBatches;
  },
): Routes[] {
  const { database, content, thumbnails, guard, links, openStreams, audit, clock, options } = dependencies;
  const { files, webhooks, configuration, tasks, savedWorkflows, instances, monitor, hub } = parts;
  return [
    taskRoutes({ tasks, front: parts.front, openStreams, guard }),
    taskNodeRoutes(parts),
    waitingRoutes(parts),
    queueRoutes({ control: parts.control }),
    taskBatchRoutes({ batches: parts.batches, openStreams }),
    instanceRoutes({ instances }),
    fileRoutes({
      files,
      archives: new FileArchives({ files }),
      thumbnails: new Thumbnails({ content, cache: thumbnails }),
      links,
      audit,
      guard,
      uploadBytes: options.limits.uploadBytes,
    }),
    recipeRoutes({
      recipes: new Recipes({
        together: readTogether(database, (frozen) => ({
          files: new StoredFileStore(frozen),
          store: new RecipeStore(frozen),
        })),
        tasks,
      }),
      lineage: new Lineage({
        together: readTogether(database, (frozen) => ({
          files: new StoredFileStore(frozen),
          store: new LineageStore(frozen),
        })),
        links,
      }),
      guard,
    }),
    configurationRoutes({ configuration }),
    taskTimelineRoutes(parts),
    monitorRoutes({ monitor, board: parts.board, guard }),
    webhookRoutes({
      webhooks,
      tests: new WebhookTests({
        store: parts.webhookStore,
        policy: { allowPrivate: options.webhooksToPrivateAddresses },
        clock,
        steadyClock,
      }),
    }),
    workflowRoutes({ workflows: savedWorkflows, guard }),
    pushRoute({ ...dependencies, hub, socketsPerUser: options.limits.socketsPerUser }),
  ];
}

function connectionTo(row: InstanceRow, { current }: Configuration) {
  return {
    address: workerAddress(row, current),
    probeTimeoutMs: (current.healthCheck.timeout ?? defaultProbeTimeoutSeconds) * 1000,
  };
}

function isoBefore(clock: Clock, ageMs: number): string {
  return new Date(clock() - ageMs).toISOString();
}
