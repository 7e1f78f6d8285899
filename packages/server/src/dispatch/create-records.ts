import { steadyClock } from '../lib/clock.ts';
import { executionTimeouts } from './attempts/execution-timeouts.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import { DispatchEvents } from './dispatch-events.ts';
import { StoredFileStore } from './files/stored-file-store.ts';
import { StoredFiles } from './files/stored-files.ts';
import { InstanceMetrics } from './fleet/instance-metrics.ts';
import { FleetJournal } from './instances/fleet-journal.ts';
import { InstanceEventStore } from './instances/instance-event-store.ts';
import { InstanceStore } from './instances/instance-store.ts';
import { NodeInputStore } from './instances/node-input-store.ts';
import { ObjectInfoStore } from './instances/object-info-store.ts';
import { Matchmaker } from './queue/matchmaker.ts';
import { PauseStore } from './queue/pause-store.ts';
import { Pauses } from './queue/pauses.ts';
import { AttemptStore } from './tasks/attempt-store.ts';
import { NodeTimes } from './tasks/node-times.ts';
import { PromptStore } from './tasks/prompt-store.ts';
import { TaskDurationStore } from './tasks/task-duration-store.ts';
import { TaskMarks } from './tasks/task-marks.ts';
import { TaskNodes } from './tasks/task-nodes.ts';
import { TaskStore } from './tasks/task-store.ts';
import { WebhookStore } from './webhooks/webhook-store.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** What tasks, instances and files are kept in, and what announces their changes. */
export function openRecords({
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
    objectInfos: new ObjectInfoStore(database),
    prompts: new PromptStore(database),
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

export type Records = ReturnType<typeof openRecords>;
