import { type Static, Type } from 'typebox';
import { runStatuses } from '../conversation/run.ts';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { markedFile, newFile } from './file.ts';
import { instance } from './instance.ts';
import { pausedQueue, shownPause } from './queue.ts';
import { shareKinds } from './share.ts';
import { task, taskError, taskResult } from './task.ts';

/** Listed with the endpoints so that it is described. The frames below are what it transports. */
export const openPush = {
  method: 'GET',
  url: '/ws',
  config: { access: 'public' },
  schema: {
    summary: 'Live messages over a WebSocket',
    description:
      'Credentials: the subprotocols `bearer` and the token, `?token=`, the session cookie from an allowed origin, or a first message `{ "type": "auth", "data": { "token" } }` within two seconds. The first message is `global_status`. A client that comes back sends the last `cursor` that it has seen, as `?cursor=`: it gets the messages that it missed and then `resumed`, or `resync` when they are no longer there.',
    tags: ['Push'],
    response: { 101: Type.Unknown({ description: 'The protocol is switched.' }) },
  },
} as const satisfies Endpoint;

/** Close codes of `/ws`, beside the standard ones. */
export const pushCloseCodes = {
  unauthenticated: 4401,
  tooManySockets: 4429,
  tooManyMessages: 4430,
  fellBehind: 4408,
} as const;

export const pushLimits = {
  clientMessageBytes: 65_536,
  clientMessagesPerMinute: 100,
  authDeadlineMs: 2_000,
  pingIntervalMs: 20_000,
  progressPerSecond: 4,
  /** The messages that a user who comes back may have missed are kept up to this number, these bytes and this time. */
  keptFrames: 500,
  keptBytes: 262_144,
  keptMs: 300_000,
  cursorLength: 64,
  /** One message names at most so many files. */
  filesPerFrame: 200,
} as const;

const int = Type.Integer();

function frame<const Name extends string, Data extends ReturnType<typeof Type.Object>>(
  type: Name,
  data: Data,
) {
  return Type.Object({
    type: Type.Literal(type),
    timestamp: Type.Integer({ description: 'Milliseconds since the epoch.' }),
    data,
    requestId: Type.Optional(Type.String({ description: 'Id of the HTTP request that caused the message.' })),
    cursor: Type.Optional(
      Type.String({ description: 'The place of the message: a client that has it resumes behind it.' }),
    ),
  });
}

export const instanceStatusFrame = frame(
  'instance_status',
  Type.Object({ instanceId: Type.String(), alive: Type.Boolean(), busy: Type.Boolean(), instance }),
);

export const taskCreatedFrame = frame('task_created', Type.Object({ taskId: Type.String(), task }));

export const taskStartedFrame = frame(
  'task_started',
  Type.Object({ taskId: Type.String(), instanceId: Type.String(), attempt: int }),
);

export const taskProgressFrame = frame(
  'task_progress',
  Type.Object({
    taskId: Type.String(),
    progress: int,
    node: Type.Optional(Type.String({ description: 'Title of the running node.' })),
    step: Type.Optional(int),
    steps: Type.Optional(int),
  }),
);

/** Somebody has cancelled a task that a worker has. The end follows when the worker has stopped, and nothing else changes until then. */
export const taskStoppingFrame = frame('task_stopping', Type.Object({ taskId: Type.String() }));

export const taskCompletedFrame = frame(
  'task_completed',
  Type.Object({
    taskId: Type.String(),
    workflowId: nullable(Type.String({ description: 'The saved workflow that it ran.' })),
    result: taskResult,
  }),
);

export const taskFailedFrame = frame(
  'task_failed',
  Type.Object({ taskId: Type.String(), error: taskError, attempt: int }),
);

/** Files of the user that are new: uploads, and the outputs of a task that has ended. */
export const filesCreatedFrame = frame(
  'files_created',
  Type.Object({ files: Type.Array(newFile, { maxItems: pushLimits.filesPerFrame }) }),
);

export const filesDeletedFrame = frame(
  'files_deleted',
  Type.Object({ fileIds: Type.Array(Type.String(), { maxItems: pushLimits.filesPerFrame }) }),
);

/** The stars, captions or tags of these files have changed. */
export const filesMarkedFrame = frame(
  'files_marked',
  Type.Object({ files: Type.Array(markedFile, { maxItems: pushLimits.filesPerFrame }) }),
);

/** A collection of the user was made, changed or deleted. */
export const collectionChangedFrame = frame(
  'collection_changed',
  Type.Object({ collectionId: Type.String() }),
);

/** Something was shared or taken back, as its owner and its receivers hear. Receivers hear as well when its owner deletes it, and when a shared collection changes. */
export const shareChangedFrame = frame(
  'share_changed',
  Type.Object({ kind: oneOf(shareKinds), subjectId: Type.String() }),
);

/** A run of the user was accepted (`pending`), has begun (`running`) or has ended. */
export const runStatusFrame = frame(
  'run_status',
  Type.Object({
    runId: Type.String(),
    threadId: Type.String(),
    assistantId: Type.String(),
    status: oneOf(runStatuses),
    waitsForHuman: Type.Boolean({ description: 'The run has ended with a question to a human.' }),
    error: nullable(Type.String({ description: 'Why it failed.' })),
  }),
);

export const threadUnreadFrame = frame(
  'thread_unread',
  Type.Object({
    threadId: Type.String(),
    unread: Type.Boolean({ description: 'A run has ended since its owner last read the thread.' }),
    runEndedAt: nullable(isoTime),
  }),
);

export const globalStatusFrame = frame(
  'global_status',
  Type.Object({
    instances: Type.Array(instance),
    tasks: Type.Object({ pending: int, running: int, completed: int, failed: int }),
    paused: nullable(pausedQueue),
    pausedPools: Type.Array(Type.String()),
    serverTime: Type.String(),
  }),
);

export const queueChangedFrame = frame(
  'queue_changed',
  Type.Object({ change: oneOf(['paused', 'resumed']), pause: shownPause }),
);

export const taskMovedFrame = frame(
  'task_moved',
  Type.Object({ taskId: Type.String(), position: nullable(int) }),
);

/** Other things than the tasks of a sweep: cells were refused or stopped, or it waits for room. */
export const sweepChangedFrame = frame('sweep_changed', Type.Object({ sweepId: Type.String() }));

export const pongFrame = frame('pong', Type.Object({}));

export const subscribedFrame = frame(
  'subscribed',
  Type.Object({ topics: Type.Array(Type.String()), taskIds: Type.Array(Type.String()) }),
);

/** The messages that the client missed stand before it. */
export const resumedFrame = frame(
  'resumed',
  Type.Object({ frames: Type.Integer({ minimum: 0, description: 'How many messages were missed.' }) }),
);

/**
 * `too_old`: some of the missed messages are no longer kept. `unknown_cursor`: the gateway was started again, or another
 * one gave out the cursor.
 */
export const resyncReasons = ['too_old', 'unknown_cursor'] as const;
export type ResyncReason = (typeof resyncReasons)[number];

/** Messages were missed that cannot be sent again. The client has to read what it shows from the API. */
export const resyncFrame = frame('resync', Type.Object({ reason: oneOf(resyncReasons) }));

/** Answers a client message that the gateway did not understand. The socket stays open. */
export const errorFrame = frame('error', Type.Object({ error: Type.String(), message: Type.String() }));

export const serverFrame = Type.Union([
  globalStatusFrame,
  instanceStatusFrame,
  taskCreatedFrame,
  taskStartedFrame,
  taskProgressFrame,
  taskStoppingFrame,
  taskCompletedFrame,
  taskFailedFrame,
  queueChangedFrame,
  taskMovedFrame,
  sweepChangedFrame,
  filesCreatedFrame,
  filesDeletedFrame,
  filesMarkedFrame,
  collectionChangedFrame,
  shareChangedFrame,
  runStatusFrame,
  threadUnreadFrame,
  resumedFrame,
  resyncFrame,
  pongFrame,
  subscribedFrame,
  errorFrame,
]);
export type ServerFrame = Static<typeof serverFrame>;
export type ServerFrameType = ServerFrame['type'];
export type ServerFrameData<Name extends ServerFrameType> = Extract<ServerFrame, { type: Name }>['data'];

/** `previews` are sent only to clients that ask for them. */
export const pushTopics = [
  'global',
  'instances',
  'tasks',
  'progress',
  'previews',
  'files',
  'runs',
  'threads',
] as const;
export type PushTopic = (typeof pushTopics)[number];

/** The topic under which a message is sent; null when every socket gets it. */
export const topicOfFrame = {
  global_status: 'global',
  instance_status: 'instances',
  task_created: 'tasks',
  task_started: 'tasks',
  task_progress: 'progress',
  task_stopping: 'tasks',
  task_completed: 'tasks',
  task_failed: 'tasks',
  task_moved: 'tasks',
  sweep_changed: 'tasks',
  queue_changed: 'global',
  files_created: 'files',
  files_deleted: 'files',
  files_marked: 'files',
  collection_changed: 'files',
  share_changed: 'files',
  run_status: 'runs',
  thread_unread: 'threads',
  resumed: null,
  resync: null,
  pong: null,
  subscribed: null,
  error: null,
} as const satisfies Record<ServerFrameType, PushTopic | null>;

/** News about the conversations of one user. */
export type ThreadNews =
  | { type: 'run_status'; data: ServerFrameData<'run_status'> }
  | { type: 'thread_unread'; data: ServerFrameData<'thread_unread'> };

/** A preview is a binary message: a length as u32 (big endian), this header as JSON of that length, then the image. */
export const previewHeader = Type.Object({
  taskId: Type.String(),
  node: Type.Optional(Type.String()),
  mediaType: Type.String(),
});
export type PreviewHeader = Static<typeof previewHeader>;

export const authMessage = Type.Object({
  type: Type.Literal('auth'),
  data: Type.Object({ token: Type.String({ minLength: 1, maxLength: 8192 }) }),
});

export const pingMessage = Type.Object({ type: Type.Literal('ping') });

/**
 * Replaces the filter of the socket. Without topics or ids the client receives everything it may see, except previews.
 */
export const subscribeMessage = Type.Object({
  type: Type.Literal('subscribe'),
  data: Type.Optional(
    Type.Object({
      topics: Type.Optional(Type.Array(oneOf(pushTopics), { maxItems: pushTopics.length })),
      taskIds: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1000 })),
    }),
  ),
});

export const clientMessage = Type.Union([authMessage, pingMessage, subscribeMessage]);
export type ClientMessage = Static<typeof clientMessage>;
