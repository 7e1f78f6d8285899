import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, oneOf, pageQuery, wholeNumber } from '../shapes.ts';
import {
  extraData,
  params,
  tag,
  task,
  taskDetail,
  taskSettings,
  taskStatusFilters,
  workflow,
} from './task.ts';

const tags = ['Tasks'];
const time = Type.String({ maxLength: 40, format: 'date-time', description: 'ISO 8601.' });
const taskParams = Type.Object({ taskId: Type.String({ minLength: 1, maxLength: 64 }) });

/** Called once when the task ends. */
export const taskWebhook = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    secret: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: '^whsec_[A-Za-z0-9+/=]{32,}$',
        description: '`whsec_` and at least 24 bytes in base64. Without one the call is not signed.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type TaskWebhook = Static<typeof taskWebhook>;

export const newTask = Type.Object(
  {
    workflow,
    params: Type.Optional(params),
    extraData: Type.Optional(extraData),
    partialExecutionTargets: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
        description: 'Ids of the output nodes to run. Without it all of them run.',
      }),
    ),
    ...taskSettings,
    webhook: Type.Optional(taskWebhook),
    strict: Type.Optional(
      Type.Boolean({ description: 'Refuse a param that fits nothing instead of keeping a warning.' }),
    ),
  },
  { additionalProperties: false },
);
export type NewTask = Static<typeof newTask>;

export const taskListQuery = Type.Object(
  {
    ...pageQuery,
    status: Type.Optional(
      oneOf(taskStatusFilters, {
        description: '`failed` includes tasks that were cancelled; `cancelled` means these alone.',
      }),
    ),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name, or the start of the id.' }),
    ),
    instanceId: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    owner: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'For administrators.' })),
    tag: Type.Optional(tag),
    threadId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'Only tasks that agents of this thread asked for. Give `since` as well: it bounds what is looked at.',
      }),
    ),
    since: Type.Optional(time),
    until: Type.Optional(time),
    order: Type.Optional(
      oneOf(['desc', 'asc'], { description: 'By `createdAt`; the newest first unless `asc`.' }),
    ),
  },
  closed,
);
export type TaskListQuery = Static<typeof taskListQuery>;

export const taskList = Type.Object({
  total: Type.Integer(),
  totalIsMinimum: Type.Optional(Type.Boolean({ description: 'There are more than were counted.' })),
  items: Type.Array(task),
});
export type TaskList = Static<typeof taskList>;

/** The filter of the list without its status. */
export const taskCountsQuery = Type.Omit(taskListQuery, ['limit', 'offset', 'order', 'status'], {
  additionalProperties: false,
});
export type TaskCountsQuery = Static<typeof taskCountsQuery>;

/** A count of a filter that reads rows stops here. */
export const maxCountedTasks = 10_000;

export const taskCounts = Type.Object({
  pending: Type.Integer(),
  running: Type.Integer(),
  completed: Type.Integer(),
  failed: Type.Integer({ description: 'Those that were cancelled too.' }),
  cancelled: Type.Integer({ description: 'Those of the failed ones that were cancelled.' }),
  cancelledIsMinimum: Type.Boolean({
    description: 'Only the newest failed tasks, `maxCount` of them, were looked at.',
  }),
  maxCount: Type.Integer({ description: 'Where the count of one status stops.' }),
  countIsMinimum: Type.Boolean({ description: 'There are more tasks of a status than were counted.' }),
});
export type TaskCounts = Static<typeof taskCounts>;

export const submitTask = {
  method: 'POST',
  url: '/api/tasks',
  config: { access: 'dispatch:write', bodyLimit: 'large' },
  schema: {
    summary: 'Submit a task',
    description:
      'Answered after the task is stored for good. The same `Idempotency-Key` with the same body replays the first answer for 24 hours, with `Idempotency-Replayed: true`; how the task stands by then is read at its own address.',
    tags,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    body: newTask,
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;

export const listTasks = {
  method: 'GET',
  url: '/api/tasks',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'List tasks, the newest first',
    tags,
    querystring: taskListQuery,
    response: { 200: envelope(taskList) },
  },
} as const satisfies Endpoint;

export const countTasks = {
  method: 'GET',
  url: '/api/tasks/counts',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'How many tasks of a filter are in each status',
    description: 'All counts are of one moment. Without a filter they are exact.',
    tags,
    querystring: taskCountsQuery,
    response: { 200: envelope(taskCounts) },
  },
} as const satisfies Endpoint;

export const getTask = {
  method: 'GET',
  url: '/api/tasks/:taskId',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'One task, at once or when it has ended',
    tags,
    params: taskParams,
    querystring: Type.Object(
      {
        wait: Type.Optional(
          wholeNumber({
            minimum: 0,
            maximum: 60,
            description: 'Hold the answer until the task has ended, for at most this many seconds.',
          }),
        ),
      },
      closed,
    ),
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;

export const cancelTask = {
  method: 'DELETE',
  url: '/api/tasks/:taskId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Cancel a task',
    description:
      'A waiting task ends at once. A running one is asked to stop and ends as `failed` with `error.code` `cancelled`.',
    tags,
    params: taskParams,
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;

export const retryTask = {
  method: 'POST',
  url: '/api/tasks/:taskId/retry',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Submit a copy of a task',
    tags,
    params: taskParams,
    querystring: Type.Object(
      {
        instanceId: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 300,
            description: 'Run the copy on this instance only, whatever the task asked for.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;

export const moveTaskToFront = {
  method: 'POST',
  url: '/api/tasks/:taskId/front',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Move a waiting task to the front',
    description:
      'The task goes before all other tasks of its owner that wait with the same priority, also before those for which a worker has the models loaded. Higher priorities and the turns of other users stay as they are. The one that was moved last goes first.',
    tags,
    params: taskParams,
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;
