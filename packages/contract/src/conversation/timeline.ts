import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';
import { runParams } from './ids.ts';

/** The subjects of the spans of a run. `node` is a node of a workflow on a worker. */
export const spanKinds = ['run', 'queue', 'model', 'tool', 'subagent', 'task', 'attempt', 'node'] as const;

/** `interrupted`: it was stopped, its process or its worker was lost, or it waits for a human and is called again. */
export const spanStates = [
  'waiting',
  'running',
  'success',
  'cached',
  'error',
  'cancelled',
  'interrupted',
] as const;
export type SpanState = (typeof spanStates)[number];

/** The most spans of a page of a timeline. */
export const maxSpansPerPage = 1_000;

const count = Type.Integer({ minimum: 0 });

export const spanTokens = Type.Unsafe<{
  total: number;
  input: number;
  output: number;
  cache_read: number;
  calls: number;
} | null>({
  type: ['object', 'null'],
  required: ['total', 'input', 'output', 'cache_read', 'calls'],
  properties: { total: count, input: count, output: count, cache_read: count, calls: count },
  description:
    'Of a model call; of a tool call or sub-agent: of the model calls inside it. Null when none was counted.',
});

export const runSpan = Type.Object({
  id: Type.String({ description: 'Stays the same while the span grows.' }),
  parent_id: nullable(Type.String({ description: 'The span around it; null for the run.' })),
  kind: oneOf(spanKinds),
  name: nullable(
    Type.String({
      description:
        'The model, the tool, the kind of sub-agent, the task, the instance or the title of the node.',
    }),
  ),
  attempt: nullable(
    Type.Integer({
      description: 'The attempt of the run; of a task: the attempt of the task. Counts from 1.',
    }),
  ),
  start: isoTime,
  end: nullable(Type.String({ description: 'ISO 8601. Null while it goes on.' })),
  state: oneOf(spanStates),
  tokens: spanTokens,
  cost: nullable(
    Type.Number({
      minimum: 0,
      description: 'By the prices of the configuration. Null when a part has no price.',
    }),
  ),
  currency: nullable(Type.String()),
  simulated: Type.Boolean({ description: 'The demo model answered, in whole or in part.' }),
  worker_seconds: nullable(
    Type.Number({ minimum: 0, description: 'Of tasks and attempts: how long they had a worker, until now.' }),
  ),
  links: Type.Object({
    tool_call_id: nullable(Type.String()),
    task_id: nullable(Type.String({ description: 'The task of the pool.' })),
    instance_id: nullable(Type.String()),
    instance_name: nullable(Type.String()),
    node_id: nullable(Type.String({ description: 'Null also for a span that stands for several nodes.' })),
  }),
});
export type RunSpan = Static<typeof runSpan>;

export const runTimeline = Type.Object({
  run_id: Type.String(),
  spans: Type.Array(runSpan, {
    description:
      'By start, then by id: spans below the same one that begin in the same millisecond keep the order in which they were recorded.',
  }),
  next_cursor: nullable(Type.String({ description: 'The `cursor` of the next page. Null on the last one.' })),
  mark: Type.String({ description: 'The `since` of the next reading: what changes from now on.' }),
  live: Type.Boolean({ description: 'The run has not ended, so the timeline still grows.' }),
});
export type RunTimeline = Static<typeof runTimeline>;

export const timelineQuery = Type.Object(
  {
    limit: Type.Optional(wholeNumber({ minimum: 1, maximum: maxSpansPerPage, default: 200 })),
    cursor: Type.Optional(
      Type.String({ maxLength: 500, description: 'The cursor that the page before names.' }),
    ),
    since: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'The `mark` of an earlier answer: only spans that began, changed or ended after it.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type TimelineQuery = Static<typeof timelineQuery>;

export const getRunTimeline = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/timeline',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'What a run did, on one time axis',
    description:
      'The run, its time in the queue, its model calls, tool calls and sub-agents, and the tasks of the pool with their queue time, attempts and nodes. Made of stored rows, so it is whole after a restart.',
    tags: ['Runs'],
    params: runParams,
    querystring: timelineQuery,
    response: { 200: runTimeline },
  },
} as const satisfies Endpoint;
