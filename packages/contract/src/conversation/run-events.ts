import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf, pageQuery, wholeNumber } from '../shapes.ts';
import { runId, runParams, threadParams } from './ids.ts';
import { runEvent } from './run-event.ts';

const tags = ['Run events'];
const read = { access: 'conversation:read' } as const;

const pageLimit = pageQuery.limit;
const cursor = (description: string) =>
  Type.Optional(wholeNumber({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }));
const beforeSeq = cursor('Rows before this seq: the newest of them.');
const afterSeq = cursor('Rows after this seq: the oldest of them.');
const messageQuery = Type.Object({ limit: pageLimit, before_seq: beforeSeq, after_seq: afterSeq });

/** The caller's feedback on a run; it is shown with the last message of that run. */
const shownFeedback = Type.Object({
  feedback_id: Type.String(),
  rating: Type.Integer(),
  comment: nullable(Type.String()),
});

export const threadMessage = Type.Object({
  ...runEvent.properties,
  feedback: nullable(shownFeedback),
});
export type ThreadMessage = Static<typeof threadMessage>;

export const runMessages = Type.Object({
  data: Type.Array(runEvent),
  has_more: Type.Boolean({ description: 'There are more in the direction of the page.' }),
});
export type RunMessages = Static<typeof runMessages>;

export const threadMessagePage = Type.Object({
  data: Type.Array(threadMessage),
  has_more: Type.Boolean(),
  next_before_seq: nullable(Type.Integer({ description: 'Where the page before this one ends.' })),
});
export type ThreadMessagePage = Static<typeof threadMessagePage>;

const modelTokens = Type.Object({ tokens: Type.Integer(), runs: Type.Integer() });

export const contextUsage = Type.Object({
  token_count: Type.Integer({ minimum: 0, description: 'Of the messages in the state; an estimate.' }),
  max_context_tokens: nullable(
    Type.Integer({
      description: '`context_window` of the model of the newest run; null when it is not configured.',
    }),
  ),
  percentage: nullable(Type.Number({ minimum: 0, description: 'To a tenth; may be more than 100.' })),
});
export type ContextUsage = Static<typeof contextUsage>;

export const threadTokenUsage = Type.Object({
  thread_id: Type.String(),
  total_tokens: Type.Integer(),
  total_input_tokens: Type.Integer(),
  total_output_tokens: Type.Integer(),
  total_runs: Type.Integer(),
  by_model: Type.Record(Type.String(), modelTokens, {
    description: 'A run with two models counts under both.',
  }),
  by_caller: Type.Object({
    lead_agent: Type.Integer(),
    subagent: Type.Integer(),
    middleware: Type.Integer(),
    unknown: Type.Integer(),
  }),
  context_usage: nullable({
    ...contextUsage,
    description: "How much of the model's window the conversation takes; null for a thread without a state.",
  }),
});
export type ThreadTokenUsage = Static<typeof threadTokenUsage>;

export const listThreadMessages = {
  method: 'GET',
  url: '/api/threads/:thread_id/messages',
  config: read,
  schema: {
    summary: 'The stored messages of a thread',
    description:
      'Ascending: the newest `limit` rows, or with `after_seq` the oldest. Everything that is stored, also what a later run replaces; `messages/page` is what to show.',
    tags,
    params: threadParams,
    querystring: messageQuery,
    response: { 200: Type.Array(threadMessage) },
  },
} as const satisfies Endpoint;

export const pageThreadMessages = {
  method: 'GET',
  url: '/api/threads/:thread_id/messages/page',
  config: read,
  schema: {
    summary: 'The conversation as it is shown, the newest part first',
    description:
      'Contains every message, also those that have been summarised since. Leaves out what middleware and sub-agents say, and runs whose answer was replaced by a new one. With `run_id` the newest conversation that this run is part of; `answers` lists the versions.',
    tags,
    params: threadParams,
    querystring: Type.Object({
      limit: pageLimit,
      before_seq: cursor('`next_before_seq` of the page before.'),
      run_id: Type.Optional(runId),
      after_seq: cursor('Refused: pages go backwards only.'),
    }),
    response: { 200: threadMessagePage },
  },
} as const satisfies Endpoint;

export const listRunMessages = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/messages',
  config: read,
  schema: {
    summary: 'The stored messages of a run',
    tags,
    params: runParams,
    querystring: messageQuery,
    response: { 200: runMessages },
  },
} as const satisfies Endpoint;

export const listMessagesOfRun = {
  method: 'GET',
  url: '/api/runs/:run_id/messages',
  config: read,
  schema: {
    summary: 'The stored messages of a run, whatever its thread',
    tags,
    params: Type.Object({ run_id: runId }),
    querystring: messageQuery,
    response: { 200: runMessages },
  },
} as const satisfies Endpoint;

export const listRunEvents = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/events',
  config: read,
  schema: {
    summary: 'Everything that happened in a run',
    description: 'Ascending from the beginning of the run, or after `after_seq`.',
    tags,
    params: runParams,
    querystring: Type.Object({
      event_types: Type.Optional(
        Type.String({ maxLength: 2_000, description: 'Only these, with commas between them.' }),
      ),
      task_id: Type.Optional(
        Type.String({ maxLength: 256, description: 'Only events of this task, by `metadata.task_id`.' }),
      ),
      limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 2_000, default: 500 })),
      after_seq: cursor('Rows after this seq.'),
    }),
    response: { 200: Type.Array(runEvent) },
  },
} as const satisfies Endpoint;

export const getThreadTokenUsage = {
  method: 'GET',
  url: '/api/threads/:thread_id/token-usage',
  config: read,
  schema: {
    summary: 'What the runs of a thread have cost',
    tags,
    params: threadParams,
    querystring: Type.Object({
      include_active: Type.Optional(
        oneOf(['true', 'false', '1', '0'], { description: 'Count runs that have not ended too.' }),
      ),
    }),
    response: { 200: threadTokenUsage },
  },
} as const satisfies Endpoint;
