import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { instance } from './instance.ts';
import { pausedQueue, shownPause } from './queue.ts';
import { task, taskError, taskResult } from './task.ts';

/** Listed with the endpoints so that it is described. The frames below are what it transports. */
export const openPush = {
  method: 'GET',
  url: '/ws',
  config: { access: 'public' },
  schema: {
    summary: 'Live messages over a WebSocket',
    description:
      'Credentials: the subprotocols `bearer` and the token, `?token=`, the session cookie from an allowed origin, or a first message `{ "type": "auth", "data": { "token" } }` within two seconds. The first message is `global_status`.',
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

export const taskCompletedFrame = frame(
  'task_completed',
  Type.Object({ taskId: Type.String(), result: taskResult }),
);

export const taskFailedFrame = frame(
  'task_failed',
  Type.Object({ taskId: Type.String(), error: taskError, attempt: int }),
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

export const pongFrame = frame('pong', Type.Object({}));

export const subscribedFrame = frame(
  'subscribed',
  Type.Object({ topics: Type.Array(Type.String()), taskIds: Type.Array(Type.String()) }),
);

/** Answers a client message that the gateway did not understand. The socket stays open. */
export const errorFrame = frame('error', Type.Object({ error: Type.String(), message: Type.String() }));

export const serverFrame = Type.Union([
  globalStatusFrame,
  instanceStatusFrame,
  taskCreatedFrame,
  taskStartedFrame,
  taskProgressFrame,
  taskCompletedFrame,
  taskFailedFrame,
  queueChangedFrame,
  taskMovedFrame,
  pongFrame,
  subscribedFrame,
  errorFrame,
]);
export type ServerFrame = Static<typeof serverFrame>;
export type ServerFrameType = ServerFrame['type'];
export type ServerFrameData<Name extends ServerFrameType> = Extract<ServerFrame, { type: Name }>['data'];

/** `previews` are sent only to clients that ask for them. */
export const pushTopics = ['global', 'instances', 'tasks', 'progress', 'previews'] as const;
export type PushTopic = (typeof pushTopics)[number];

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
