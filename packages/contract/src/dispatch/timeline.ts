import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';

export const taskSpanKinds = ['task', 'queue', 'attempt', 'node'] as const;

/** `interrupted`: the task went back to the queue, or the node was stopped with its attempt. */
export const taskSpanStates = [
  'waiting',
  'running',
  'success',
  'cached',
  'error',
  'cancelled',
  'interrupted',
] as const;
export type TaskSpanState = (typeof taskSpanStates)[number];

export const taskSpan = Type.Object({
  id: Type.String({ description: 'Stays the same while the span grows.' }),
  parentId: nullable(Type.String({ description: 'The span around it; null for the task.' })),
  kind: oneOf(taskSpanKinds),
  name: nullable(Type.String({ description: 'The name of the task or instance, or the title of the node.' })),
  attempt: nullable(Type.Integer({ description: 'Of attempts and nodes; counts from 1.' })),
  start: isoTime,
  end: nullable(Type.String({ description: 'ISO 8601. Null while it goes on.' })),
  state: oneOf(taskSpanStates),
  workerSeconds: nullable(
    Type.Number({
      minimum: 0,
      description: 'Of the task and its attempts: how long they had a worker, until now.',
    }),
  ),
  cost: nullable(
    Type.Number({
      minimum: 0,
      description: 'By the price of a worker in the configuration. Null without one.',
    }),
  ),
  currency: nullable(Type.String()),
  links: Type.Object({
    taskId: Type.String(),
    instanceId: nullable(Type.String()),
    instanceName: nullable(Type.String()),
    nodeId: nullable(Type.String({ description: 'Null also for a span that stands for several nodes.' })),
  }),
});
export type TaskSpan = Static<typeof taskSpan>;

export const taskTimeline = Type.Object({
  taskId: Type.String(),
  spans: Type.Array(taskSpan, {
    description:
      'By start, then by id: spans below the same one that begin in the same millisecond keep the order in which they were recorded.',
  }),
  nextCursor: nullable(Type.String({ description: 'The `cursor` of the next page. Null on the last one.' })),
  mark: Type.String({ description: 'The `since` of the next reading: what changes from now on.' }),
  live: Type.Boolean({ description: 'The task has not ended, so the timeline still grows.' }),
});
export type TaskTimeline = Static<typeof taskTimeline>;

export const getTaskTimeline = {
  method: 'GET',
  url: '/api/tasks/:taskId/timeline',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What a task did, on one time axis',
    description:
      'The task, its time in the queue apart from its attempts on workers, and the nodes of each attempt. Nodes of which the worker told no time share one span.',
    tags: ['Tasks'],
    params: Type.Object({ taskId: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: Type.Object(
      {
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 1_000, default: 200 })),
        cursor: Type.Optional(
          Type.String({ maxLength: 500, description: '`nextCursor` of the page before.' }),
        ),
        since: Type.Optional(
          Type.String({
            maxLength: 500,
            description: 'The `mark` of an earlier answer: only spans that began, changed or ended after it.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: envelope(taskTimeline) },
  },
} as const satisfies Endpoint;
