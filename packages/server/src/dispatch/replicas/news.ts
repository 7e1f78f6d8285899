import { markedFile } from '@switchyard/contract/dispatch/file';
import { instance } from '@switchyard/contract/dispatch/instance';
import { runStatusFrame, threadUnreadFrame } from '@switchyard/contract/dispatch/push';
import { pauseRoles, pauseScopes } from '@switchyard/contract/dispatch/queue';
import { shareKinds } from '@switchyard/contract/dispatch/share';
import { nullable, oneOf } from '@switchyard/contract/shapes';
import { type Static, type TProperties, Type } from 'typebox';
import { busTopic } from '../../platform/bus/bus.ts';
import type { DispatchEvent, QueuePlace } from '../dispatch-events.ts';

const id = Type.String();
const owner = Type.String();
/** The user of a task, for replicas where only some users are followed. A replica of an earlier version sends none. */
const ofOwner = Type.Optional(owner);
const nodeId = Type.String();
const nodeEvent = Type.Union([
  Type.Object({ type: Type.Literal('nodes_cached'), nodeIds: Type.Immutable(Type.Array(nodeId)) }),
  Type.Object({ type: Type.Literal('node_started'), nodeId, topNodeId: nodeId }),
  Type.Object({ type: Type.Literal('node_progress'), nodeId, value: Type.Number(), max: Type.Number() }),
  Type.Object({
    type: Type.Literal('progress_snapshot'),
    nodes: Type.Immutable(
      Type.Array(
        Type.Object({
          nodeId,
          topNodeId: nodeId,
          value: Type.Number(),
          max: Type.Number(),
          isFinished: Type.Boolean(),
        }),
      ),
    ),
  }),
]);
const taskProgress = Type.Object({
  progress: Type.Number(),
  node: Type.Optional(Type.String()),
  step: Type.Optional(Type.Number()),
  steps: Type.Optional(Type.Number()),
});
const queuePause = Type.Object({
  scope: oneOf(pauseScopes),
  target: Type.String(),
  role: oneOf(pauseRoles),
  userId: Type.String(),
  reason: nullable(Type.String()),
  since: Type.String(),
});
const threadNews = Type.Union([
  Type.Object({ type: Type.Literal('run_status'), data: runStatusFrame.properties.data }),
  Type.Object({ type: Type.Literal('thread_unread'), data: threadUnreadFrame.properties.data }),
]);

/** The place of a new task in the queue. Replicas read the row of a task with a longer list, or of an earlier version. */
const maxThingsNamed = 60;
const place = Type.Object({
  id,
  owner,
  priority: Type.Number(),
  createdAtMs: Type.Number(),
  frontMs: nullable(Type.Number()),
  attempt: Type.Integer(),
  fingerprint: Type.String(),
  requirement: Type.Object({
    nodeClasses: Type.Immutable(Type.Array(Type.String())),
    models: Type.Immutable(Type.Array(Type.Object({ input: Type.String(), model: Type.String() }))),
    pool: nullable(Type.String()),
    pinnedInstanceId: nullable(Type.String()),
  }),
});

function oneNews<const Name extends string, Facts extends TProperties>(types: readonly Name[], facts: Facts) {
  return Type.Object({ type: oneOf(types), ...facts });
}

/** An event as it crosses to other replicas: ids and small facts. The replica that receives it reads the rows. */
const news = Type.Union([
  oneNews(['task_claimed'], { id }),
  oneNews(['task_created'], { id, owner: ofOwner, waits: Type.Optional(place) }),
  oneNews(['task_ended'], { id, owner: ofOwner }),
  oneNews(['task_started'], { id, owner: ofOwner, createdAt: Type.String() }),
  oneNews(['task_requeued'], { id, owner: ofOwner, delayMs: Type.Number({ minimum: 0 }) }),
  oneNews(['task_stopping'], { id, owner }),
  oneNews(['task_moved'], { id, position: nullable(Type.Integer()) }),
  oneNews(['task_progress'], { id, owner, requestId: nullable(Type.String()), progress: taskProgress }),
  oneNews(['task_execution'], { id, owner, event: nodeEvent }),
  oneNews(['instance_changed'], { instance }),
  oneNews(['instance_removed', 'instance_learned', 'batch_finished'], { id }),
  oneNews(['sweep_changed'], { owner, sweepId: Type.String() }),
  oneNews(['fleet_changed', 'settings_changed'], {}),
  oneNews(['queue_changed'], { change: oneOf(['paused', 'resumed']), pause: queuePause }),
  oneNews(['files_created', 'files_deleted'], { owner, ids: Type.Array(Type.String()) }),
  oneNews(['files_marked'], { owner, files: Type.Array(markedFile) }),
  oneNews(['collection_changed'], { owner, collectionId: id }),
  oneNews(['share_changed'], { owner: nullable(owner), kind: oneOf(shareKinds), subjectId: id }),
  oneNews(['thread_news'], { owner, news: threadNews }),
]);
export type News = Static<typeof news>;

const newsMessage = Type.Object({
  /** The replica that sends it. */
  from: Type.String(),
  /** The token under which it was the dispatcher last; null when it never was. */
  token: nullable(Type.Integer()),
  /** Earlier news of this replica were not sent. */
  hasGap: Type.Boolean(),
  news: Type.Array(news),
});
export type NewsMessage = Static<typeof newsMessage>;

export const newsTopic = busTopic('dispatch.news', newsMessage);

/** Facts that only the dispatcher can know. From a replica that was the dispatcher before, they are out of date. */
export const factsOfDispatcher: readonly News['type'][] = [
  'task_progress',
  'task_execution',
  'instance_changed',
];

function shortPlace(waits: QueuePlace): { waits?: QueuePlace } {
  const { nodeClasses, models } = waits.requirement;
  return nodeClasses.length + models.length > maxThingsNamed ? {} : { waits };
}

/** Returns null for an event that crosses in another way. */
export function newsOf(event: DispatchEvent): News | null {
  switch (event.type) {
    case 'task_created': {
      const { id, owner } = event.task;
      return { type: event.type, id, owner, ...(event.waits && shortPlace(event.waits)) };
    }
    case 'task_ended':
      return { type: event.type, id: event.task.id, owner: event.task.owner };
    case 'task_started': {
      const { id, owner, createdAt } = event.task;
      return { type: event.type, id, owner, createdAt };
    }
    case 'task_stopping':
      return { type: event.type, id: event.taskId, owner: event.owner };
    case 'task_claimed':
      return { type: event.type, id: event.taskId };
    case 'task_requeued':
      return { type: event.type, id: event.task.id, owner: event.task.owner, delayMs: event.delayMs };
    case 'task_moved':
      return { type: event.type, id: event.task.id, position: event.position };
    case 'task_progress': {
      const { taskId: id, owner, requestId, progress } = event;
      return { type: event.type, id, owner, requestId, progress };
    }
    case 'instance_removed':
    case 'instance_learned':
      return { type: event.type, id: event.instanceId };
    case 'batch_finished':
      return { type: event.type, id: event.batchId };
    case 'settings_changed':
      return { type: event.type };
    case 'files_created':
      return { type: event.type, owner: event.owner, ids: event.files.map(({ id }) => id) };
    case 'files_deleted':
      return { type: event.type, owner: event.owner, ids: event.fileIds };
    case 'task_execution':
      return { type: event.type, id: event.taskId, owner: event.owner, event: event.event };
    case 'task_preview':
    case 'tasks_changed':
    case 'news_lost':
      return null;
    default:
      return event;
  }
}
