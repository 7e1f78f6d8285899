import type { Routes } from '../http/app.ts';
import { steadyClock } from '../lib/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { type ReadTogether, readTogether } from '../platform/database/snapshot.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import { createFleet } from './create-fleet.ts';
import { createMonitor, createTimelines } from './create-monitor.ts';
import { openRecords } from './create-records.ts';
import { createOrders, createReplicas } from './create-replicas.ts';
import { createRoutes } from './create-routes.ts';
import { createUpkeep, registerSweeps } from './create-sweeps.ts';
import {
  createBatches,
  createQueueControl,
  createTasks,
  createWaiting,
  createWorkflows,
} from './create-tasks.ts';
import type { DispatchEvents } from './dispatch-events.ts';
import type { StoredFiles } from './files/stored-files.ts';
import type { Fleet } from './fleet/fleet.ts';
import { Instances } from './fleet/instances.ts';
import { Configuration } from './instances/configuration.ts';
import type { InstanceStore } from './instances/instance-store.ts';
import type { ObjectInfoStore } from './instances/object-info-store.ts';
import { SettingsStore } from './instances/settings-store.ts';
import { TaskFront } from './intake/task-front.ts';
import type { Tasks } from './intake/tasks.ts';
import { measureDispatch } from './monitor/dispatch-metrics.ts';
import type { DispatchUpkeep } from './monitor/upkeep.ts';
import { PushHub } from './push/push-hub.ts';
import type { PromptStore } from './tasks/prompt-store.ts';
import { TaskCostStore } from './tasks/task-cost-store.ts';
import { TaskCosts } from './tasks/task-costs.ts';
import { TaskListStore } from './tasks/task-list-store.ts';
import type { TaskNodes } from './tasks/task-nodes.ts';
import type { TaskStore } from './tasks/task-store.ts';
import { TaskUsageStore } from './tasks/task-usage-store.ts';
import type { TaskTimelines } from './timeline/task-timelines.ts';
import { Estimates } from './waiting/estimates.ts';
import type { Waiting } from './waiting/waiting.ts';
import type { SavedWorkflows } from './workflows/saved-workflows.ts';

export interface DispatchArea {
  routes: Routes[];
  tasks: Tasks;
  savedWorkflows: SavedWorkflows;
  files: StoredFiles;
  costs: TaskCosts;
  usage: ReadTogether<TaskUsageStore>;
  /** The attempts of a task with their nodes, for callers that have checked whose task it is. */
  taskNodes: TaskNodes;
  /** What clients of ComfyUI call their tasks. */
  prompts: PromptStore;
  taskLists: TaskListStore;
  taskStore: TaskStore;
  front: TaskFront;
  /** What the workers say of their nodes. */
  objectInfos: ObjectInfoStore;
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
  registerSweeps(dependencies, { records, batches });
  const upkeepOver = createUpkeep(dependencies);
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
    routes: createRoutes(dependencies, {
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
    prompts: records.prompts,
    taskLists: new TaskListStore(database),
    taskStore: records.store,
    front,
    objectInfos: records.objectInfos,
    waitingOver: (frozen) => waitingOver(frozen.withTables()),
    timelinesOver: (frozen) => timelinesOver(frozen.withTables()),
    instances,
    events,
    fleet,
    instanceStore: records.instanceStore,
    configuration,
    onLeading: (listener) => placing.role.onChange(listener),
    upkeepOver: (frozen) => upkeepOver(frozen.withTables()),
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
