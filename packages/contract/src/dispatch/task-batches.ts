import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';
import { taskListQuery } from './tasks.ts';

const tags = ['Tasks'];
const { status, q, instanceId, owner, tag, threadId, since, until } = taskListQuery.properties;

export const batchActions = ['cancel', 'retry', 'front'] as const;
export type BatchAction = (typeof batchActions)[number];

/** The largest batch; a filter that fits more is refused. */
export const maxTasksInBatch = 10_000;

/** The filter of `GET /api/tasks`. */
export const taskFilter = Type.Object({ status, q, instanceId, owner, tag, threadId, since, until }, closed);
export type TaskFilterInput = Static<typeof taskFilter>;

export const newTaskBatch = Type.Object(
  {
    action: oneOf(batchActions, {
      description:
        '`cancel` waits for no worker to stop. `retry` submits a copy of each task for its owner. `front` moves waiting tasks to the front, in the order in which they were created.',
    }),
    taskIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
        description: 'Either these tasks, or those of `filter`.',
      }),
    ),
    filter: Type.Optional({
      ...taskFilter,
      description:
        'The filter of `GET /api/tasks`. Without `status` it means tasks that have not ended for `cancel`, failed ones for `retry`, and waiting ones for `front`.',
    }),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only count the tasks.' })),
    count: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxTasksInBatch,
        description:
          'The count that was confirmed. The batch is refused (409) when there are more or fewer by now.',
      }),
    ),
  },
  closed,
);
export type NewTaskBatch = Static<typeof newTaskBatch>;

export const taskBatch = Type.Object({
  id: nullable(Type.String({ description: 'Null for a count.' })),
  action: oneOf(batchActions),
  state: oneOf(['counted', 'running', 'finished']),
  total: Type.Integer({ description: 'The tasks of the batch. They are fixed when it is made.' }),
  totalIsMinimum: Type.Optional(
    Type.Boolean({ description: 'A count found more tasks than one batch may have.' }),
  ),
  done: Type.Integer({ description: 'Cancelled, or asked to stop; copied; moved.' }),
  skipped: Type.Integer({
    description:
      'Tasks that had ended before they could be cancelled, or no longer waited when they were to be moved.',
  }),
  failed: Type.Integer({ description: 'Tasks that could not be copied. The items say why.' }),
  waitsFor: nullable(Type.String({ description: 'Why the batch does not go on at the moment.' })),
  createdAt: nullable(isoTime),
  finishedAt: nullable(isoTime),
});
export type TaskBatch = Static<typeof taskBatch>;

export const taskBatchItem = Type.Object({
  taskId: Type.String(),
  outcome: nullable(oneOf(['done', 'skipped', 'failed'], { description: 'Null until it is its turn.' })),
  newTaskId: nullable(Type.String({ description: 'The copy.' })),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type TaskBatchItem = Static<typeof taskBatchItem>;

const batchParams = Type.Object({ batchId: Type.String({ minLength: 1, maxLength: 64 }) });
const wait = Type.Optional(
  wholeNumber({
    minimum: 0,
    maximum: 60,
    default: 10,
    description: 'Hold the answer until the batch has finished, for at most this many seconds.',
  }),
);

export const createTaskBatch = {
  method: 'POST',
  url: '/api/task-batches',
  config: { access: 'dispatch:write', bodyLimit: 131_072 },
  schema: {
    summary: 'Cancel, repeat or move many tasks',
    description:
      'Which tasks it takes is decided when the batch is made: a copy that fails meanwhile is not copied again. A batch goes on after a restart, and takes each task once. The same `Idempotency-Key` with the same body answers with the first batch for as long as that is kept, 30 days.',
    tags,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    querystring: Type.Object({ wait }, closed),
    body: newTaskBatch,
    response: { 200: envelope(taskBatch) },
  },
} as const satisfies Endpoint;

export const getTaskBatch = {
  method: 'GET',
  url: '/api/task-batches/:batchId',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'How far a batch is',
    tags,
    params: batchParams,
    querystring: Type.Object({ wait: { ...wait, default: 0 } }, closed),
    response: { 200: envelope(taskBatch) },
  },
} as const satisfies Endpoint;

export const listTaskBatchItems = {
  method: 'GET',
  url: '/api/task-batches/:batchId/items',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What became of each task of a batch, the oldest task first',
    tags,
    params: batchParams,
    querystring: Type.Object(
      {
        outcome: Type.Optional(oneOf(['done', 'skipped', 'failed'])),
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 200, default: 50 })),
        cursor: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: '`nextCursor` of the page before.' }),
        ),
      },
      closed,
    ),
    response: {
      200: envelope(
        Type.Object({
          items: Type.Array(taskBatchItem),
          nextCursor: nullable(
            Type.String({ description: 'The `cursor` of the next page. Null on the last one.' }),
          ),
        }),
      ),
    },
  },
} as const satisfies Endpoint;
