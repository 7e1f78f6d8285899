import type { Routes } from '../http/app.ts';
import { steadyClock } from '../lib/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { type ReadTogether, readTogether } from '../platform/database/snapshot.ts';
import { fileArchiveRoutes } from './archives/file-archive-routes.ts';
import { FileArchives } from './archives/file-archives.ts';
import { type ExecutionTimeouts, executionTimeouts } from './attempts/execution-timeouts.ts';
import { taskBatchRoutes } from './batches/task-batch-routes.ts';
import { TaskBatchStore } from './batches/task-batch-store.ts';
import { TaskBatches } from './batches/task-batches.ts';
import { collectionRoutes } from './collections/collection-routes.ts';
import { DispatchEvents } from './dispatch-events.ts';
import type { DispatchOptions, DispatchParts } from './dispatch-parts.ts';
import { UserDocumentStore } from './documents/user-document-store.ts';
import { UserDocuments } from './documents/user-documents.ts';
import { findEarlierFiles } from './earlier-rows/earlier-files.ts';
import { EarlierRowStore } from './earlier-rows/earlier-row-store.ts';
import { wordEarlierRows } from './earlier-rows/earlier-rows.ts';
import { createFiles } from './files/create-files.ts';
import { LentFiles } from './files/lent-files.ts';
import type { StoredFiles } from './files/stored-files.ts';
import type { StoredPictures } from './files/stored-pictures.ts';
import { createFleet } from './fleet/create-fleet.ts';
import type { Fleet } from './fleet/fleet.ts';
import { instanceRoutes } from './fleet/instance-routes.ts';
import type { Instances } from './fleet/instances.ts';
import type { WorkerNames } from './graphs/worker-names.ts';
import { Configuration } from './instances/configuration.ts';
import { configurationRoutes } from './instances/configuration-routes.ts';
import { InstanceEventStore } from './instances/instance-event-store.ts';
import { InstanceStore } from './instances/instance-store.ts';
import { NodeInputStore } from './instances/node-input-store.ts';
import { ObjectInfoStore } from './instances/object-info-store.ts';
import { PoolNodes } from './instances/pool-nodes.ts';
import { SettingsStore } from './instances/settings-store.ts';
import { createTasks } from './intake/create-tasks.ts';
import type { TaskFront } from './intake/task-front.ts';
import type { Tasks } from './intake/tasks.ts';
import { createMonitor } from './monitor/create-monitor.ts';
import { measureDispatch } from './monitor/dispatch-metrics.ts';
import { registerSweeps, upkeepOver } from './monitor/sweeps.ts';
import type { DispatchUpkeep } from './monitor/upkeep.ts';
import { PushHub } from './push/push-hub.ts';
import { pushRoute } from './push/push-route.ts';
import { Matchmaker } from './queue/matchmaker.ts';
import { PauseStore } from './queue/pause-store.ts';
import { Pauses } from './queue/pauses.ts';
import { QueueControl } from './queue/queue-control.ts';
import { queueRoutes } from './queue/queue-routes.ts';
import { createRecipes } from './recipes/create-recipes.ts';
import { createOrders, createReplicas } from './replicas/create-replicas.ts';
import { InstancesElsewhere } from './replicas/replicas.ts';
import type { RunningNodes } from './replicas/running-nodes.ts';
import { shareRoutes } from './shares/share-routes.ts';
import { ShareStore } from './shares/share-store.ts';
import { Shares } from './shares/shares.ts';
import { sweepRoutes } from './sweeps/sweep-routes.ts';
import { SweepStore } from './sweeps/sweep-store.ts';
import { WorkflowSweeps } from './sweeps/workflow-sweeps.ts';
import type { DispatchTables } from './tables.ts';
import { createTaskRecords } from './tasks/create-task-records.ts';
import type { PromptListStore } from './tasks/prompt-list-store.ts';
import type { PromptStore } from './tasks/prompt-store.ts';
import { TaskCostStore } from './tasks/task-cost-store.ts';
import { TaskCosts } from './tasks/task-costs.ts';
import { TaskListStore } from './tasks/task-list-store.ts';
import { taskNodeRoutes } from './tasks/task-node-routes.ts';
import type { TaskNodes } from './tasks/task-nodes.ts';
import type { TaskStore } from './tasks/task-store.ts';
import { TaskUsageStore } from './tasks/task-usage-store.ts';
import { taskTimelineRoutes } from './timeline/task-timeline-routes.ts';
import { type TaskTimelines, timelinesOver } from './timeline/task-timelines.ts';
import { traceTasks } from './timeline/task-traces.ts';
import { Estimates } from './waiting/estimates.ts';
import { type Waiting, waitingOver } from './waiting/waiting.ts';
import { waitingRoutes } from './waiting/waiting-routes.ts';
import { WorkflowOutlooks } from './waiting/workflow-outlooks.ts';
import { createWebhooks } from './webhooks/create-webhooks.ts';
import { SavedWorkflowStore } from './workflows/saved-workflow-store.ts';
import { SavedWorkflows } from './workflows/saved-workflows.ts';
import { WorkflowFiles } from './workflows/workflow-files.ts';
import { WorkflowRecordStore } from './workflows/workflow-record-store.ts';
import { workflowRoutes } from './workflows/workflow-routes.ts';

export interface DispatchArea {
  routes: Routes[];
  tasks: Tasks;
  savedWorkflows: SavedWorkflows;
  files: StoredFiles;
  pictures: StoredPictures;
  documents: UserDocuments;
  costs: TaskCosts;
  usage: ReadTogether<TaskUsageStore>;
  /** The names that clients of ComfyUI give their tasks. */
  prompts: PromptStore;
  promptLists: PromptListStore;
  taskLists: TaskListStore;
  taskStore: TaskStore;
  front: TaskFront;
  poolNodes: PoolNodes;
  /** The attempts of a task with their nodes, for callers that have checked whose task it is. */
  taskNodes: TaskNodes;
  /** The nodes that run, for clients that come back. */
  runningNodes: Pick<RunningNodes, 'of'>;
  /** Called for a new socket that shows previews or nodes. It asks the other replicas for their reports at once. */
  lookAtReports(): void;
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

type Dependencies = Omit<DispatchParts, 'events' | 'steadyClock' | 'options'> & {
  workerNames: WorkerNames;
  options: DispatchOptions & { timeouts?: Partial<ExecutionTimeouts> };
};

/** Each line takes the parts of the area and what earlier lines have made. */
export function createDispatch(dependencies: Dependencies): DispatchArea {
  const rows = openRows(dependencies);
  const { database, metrics, clock, steadyClock, log, options, events, times, taskNodes } = rows;
  const { files, fileStore, matchmaker, pauses, instanceStore, configuration } = rows;
  const orders = createOrders(rows);
  const elsewhere = orders && new InstancesElsewhere(orders);
  const { fleet, journal, instances } = createFleet({ ...rows, elsewhere });
  const estimates = new Estimates({ store: rows.durations, steadyClock });
  const waitingIn = (frozen: Database<DispatchTables>) =>
    waitingOver(frozen, { queue: matchmaker, fleet, pauses, estimates, clock });
  const waiting = waitingIn(database);
  const { tasks, front, taskRoutes } = createTasks({
    ...rows,
    requireCapable: (requirement) => fleet.requireCapable(requirement),
    doubtsAbout: (requirement) => fleet.doubtsAbout(requirement),
    outlooks: (found) => waiting.outlooks(found),
    askToStop: (taskId) => {
      if (!fleet.cancel(taskId)) orders?.send({ kind: 'stop', taskId });
    },
  });
  const lists = new TaskListStore(database);
  const batches = new TaskBatches({ ...rows, store: new TaskBatchStore(database), lists, tasks, front });
  const shares = new Shares({ ...rows, store: rows.shares });
  const price = options.workerPrice;
  const workflows = createWorkflows(rows, { tasks, fleet, estimates });
  const { savedWorkflows, outlooks, sweeps } = workflows;
  const control = new QueueControl({
    ...rows,
    store: rows.pauseStore,
    knownPools: async () => [...new Set((await instances.list()).flatMap(({ tags }) => tags))],
  });
  const timelinesIn = (frozen: Database<DispatchTables>) => timelinesOver(frozen, { times, price, clock });
  const { together, monitor, monitorRoutes } = createMonitor({ ...rows, instances, tasks });
  const hub = new PushHub({
    ...rows,
    together,
    instances,
    onFault: (error) => log.warn({ err: error }, 'a snapshot for push could not be made'),
  });
  const stopMeasuring = measureDispatch({ metrics, events, matchmaker, fleet, hub });
  registerSweeps({ ...rows, store: rows.tasks, batches });
  const earlier = new EarlierRowStore(database);
  wordEarlierRows(earlier, rows);
  findEarlierFiles(earlier, rows);
  const { recipes, recipeRoutes } = createRecipes({ ...rows, tasks });
  const placing = createReplicas({ ...rows, files: fileStore, fleet, batches, monitor, orders });

  return {
    routes: [
      taskRoutes,
      taskNodeRoutes({ taskNodes }),
      waitingRoutes({ waiting, outlooks }),
      queueRoutes({ control }),
      taskBatchRoutes({ ...rows, batches }),
      instanceRoutes({ instances }),
      rows.fileRoutes,
      fileArchiveRoutes({ files, archives: new FileArchives({ files, recipes }) }),
      collectionRoutes(rows),
      recipeRoutes,
      configurationRoutes({ configuration }),
      taskTimelineRoutes({ timelines: timelinesIn(database) }),
      monitorRoutes,
      rows.webhookRoutes,
      workflowRoutes({ ...rows, ...workflows }),
      shareRoutes({ ...rows, shares }),
      sweepRoutes({ ...rows, sweeps }),
      pushRoute({ ...rows, hub, socketsPerUser: options.limits.socketsPerUser }),
    ],
    tasks,
    savedWorkflows,
    files,
    ...forDoors(rows),
    costs: new TaskCosts(new TaskCostStore(database), clock),
    usage: readTogether(database, (frozen) => new TaskUsageStore(frozen)),
    taskLists: lists,
    front,
    taskNodes,
    runningNodes: placing.running,
    lookAtReports: () => placing.look(),
    waitingOver: (frozen) => waitingIn(frozen.withTables()),
    timelinesOver: (frozen) => timelinesIn(frozen.withTables()),
    instances,
    events,
    fleet,
    instanceStore,
    configuration,
    onLeading: (listener) => placing.role.onChange(listener),
    upkeepOver: (frozen) => upkeepOver(frozen.withTables(), options),
    start: async () => {
      await configuration.load(options.seed);
      await batches.start();
      await sweeps.start();
      await placing.start();
    },
    close: async () => {
      stopMeasuring();
      hub.close();
      monitor.close();
      await placing.stop();
      await rows.marks.settle();
      await journal.settle();
      await placing.close();
    },
  };
}

/** Makes the stores of the area, and the parts that announce their changes. */
function openRows(dependencies: Dependencies) {
  const { database, clock, log, options } = dependencies;
  const events = new DispatchEvents((error, event) =>
    log.error({ err: error, event: event.type }, 'a listener of dispatch events failed'),
  );
  const parts = { ...dependencies, events, steadyClock };
  const pauseStore = new PauseStore(database);
  const records = createTaskRecords(parts);
  const nodeInputs = new NodeInputStore(database, clock);
  const shares = new ShareStore(database);
  const workflowStore = new SavedWorkflowStore(database);
  const files = createFiles({ ...parts, nodeInputs, shares });
  if (parts.traces) traceTasks({ ...records, traces: parts.traces, events });
  return {
    ...parts,
    ...records,
    ...files,
    shares,
    workflowStore,
    lentFiles: new LentFiles({ workflows: workflowStore, shares, ownFiles: files.ownFiles }),
    ...createWebhooks(parts),
    timeouts: { ...executionTimeouts, ...options.timeouts },
    matchmaker: new Matchmaker({ clock }),
    pauseStore,
    pauses: new Pauses(pauseStore),
    instanceStore: new InstanceStore(database),
    instanceEvents: new InstanceEventStore(database),
    nodeInputs,
    objectInfos: new ObjectInfoStore(database),
    configuration: new Configuration({ ...parts, store: new SettingsStore(database) }),
  };
}

/** Saved workflows, and what is made of them. */
function createWorkflows(
  rows: ReturnType<typeof openRows>,
  { tasks, fleet, estimates }: { tasks: Tasks; fleet: Fleet; estimates: Estimates },
) {
  const { database, clock, instanceStore: instances, options } = rows;
  const { workflowStore: store, files, shrunk: thumbnails } = rows;
  const records = new WorkflowRecordStore(database);
  const price = options.workerPrice;
  const savedWorkflows = new SavedWorkflows({ ...rows, store, records, price, tasks });
  const workflowFiles = new WorkflowFiles({ workflows: savedWorkflows, files, thumbnails });
  const outlooks = new WorkflowOutlooks({
    savedWorkflows,
    instances,
    fleet,
    estimates,
    price,
    tasks,
    clock,
  });
  const sweepStore = new SweepStore(database);
  const sweeps = new WorkflowSweeps({ ...rows, store: sweepStore, tasks, savedWorkflows, outlooks });
  return { savedWorkflows, workflowFiles, outlooks, sweeps };
}

/** Returns the stores that the doors read and write themselves. */
function forDoors(rows: ReturnType<typeof openRows>) {
  const { database, clock, pictures, prompts, promptLists, tasks, objectInfos } = rows;
  const documents = new UserDocuments({ store: new UserDocumentStore(database), clock });
  const poolNodes = new PoolNodes(objectInfos);
  return { documents, pictures, prompts, promptLists, taskStore: tasks, poolNodes };
}
