import type { Database } from '../platform/database/database.ts';
import { readTogether } from '../platform/database/snapshot.ts';
import { TaskBatchStore } from './batches/task-batch-store.ts';
import { TaskBatches } from './batches/task-batches.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import type { Records } from './create-records.ts';
import type { DispatchEvents } from './dispatch-events.ts';
import { OwnFiles } from './files/own-files.ts';
import type { Fleet } from './fleet/fleet.ts';
import type { Instances } from './fleet/instances.ts';
import { InstanceStore } from './instances/instance-store.ts';
import type { TaskFront } from './intake/task-front.ts';
import { Tasks } from './intake/tasks.ts';
import { QueueControl } from './queue/queue-control.ts';
import type { DispatchOrders } from './replicas/dispatch-orders.ts';
import type { DispatchTables } from './tables.ts';
import { AttemptStore } from './tasks/attempt-store.ts';
import { TaskListStore } from './tasks/task-list-store.ts';
import { TaskStore } from './tasks/task-store.ts';
import type { Estimates } from './waiting/estimates.ts';
import { Waiting } from './waiting/waiting.ts';
import { WorkflowOutlooks } from './waiting/workflow-outlooks.ts';
import { SavedWorkflowStore } from './workflows/saved-workflow-store.ts';
import { SavedWorkflows } from './workflows/saved-workflows.ts';

export function createTasks(
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

export function createBatches(
  { database, jobs, audit, clock }: DispatchDependencies,
  { tasks, front, events }: { tasks: Tasks; front: TaskFront; events: DispatchEvents },
): TaskBatches {
  return new TaskBatches({
    store: new TaskBatchStore(database),
    lists: new TaskListStore(database),
    tasks,
    front,
    events,
    jobs,
    audit,
    clock,
  });
}

/** Saved workflows, and what is said about them before they run. */
export function createWorkflows(
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
    maxPriorityOf: (caller) => tasks.maxPriorityOf(caller),
    clock,
  });
  return { savedWorkflows, outlooks };
}

export function createWaiting(
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

export function createQueueControl(
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
