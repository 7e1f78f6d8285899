import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';
import { runStatuses } from './run.ts';

const tags = ['Console'];
const read = { access: 'conversation:read' } as const;
const count = Type.Integer({ minimum: 0 });

/** The runs that are listed: the caller's own, or, for administrators, those of all users. */
export const consoleScopes = ['own', 'all'] as const;
const scope = Type.Optional(
  oneOf(consoleScopes, {
    description:
      '`own` (default), or `all` for administrators: numbers of all users, without titles and errors.',
  }),
);

const cost = nullable(
  Type.Number({
    minimum: 0,
    description:
      'By the prices of the configuration. Null while a part of it has no price, or currencies mix.',
  }),
);
const currency = nullable(Type.String());
/** The share of the pool that agents' tasks have used. */
const work = {
  tasks: Type.Integer({ minimum: 0, description: 'Tasks on the pool that agents asked for and that ended.' }),
  task_seconds: Type.Number({ minimum: 0, description: 'How long they had a worker.' }),
  worker_cost: nullable(
    Type.Number({
      minimum: 0,
      description: 'By `conversation.workflow_price_per_hour`; null without it.',
    }),
  ),
};
const simulated_tokens = Type.Integer({
  minimum: 0,
  description: 'How many of the tokens the demo model is said to have used.',
});
const tokenCounts = {
  tokens: count,
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: Type.Integer({ minimum: 0, description: 'Of the input.' }),
};

export const consoleStats = Type.Object({
  total_runs: count,
  active_runs: Type.Integer({ minimum: 0, description: 'Waiting or at work.' }),
  failed_runs: Type.Integer({ minimum: 0, description: 'With the status `error` or `timeout`.' }),
  total_threads: count,
  total_agents: Type.Integer({ minimum: 0, description: "The caller's own custom agents." }),
  total_tokens: count,
  total_cost: cost,
  currency,
});
export type ConsoleStats = Static<typeof consoleStats>;

export const consoleRun = Type.Object({
  run_id: Type.String(),
  thread_id: Type.String(),
  user_id: Type.String(),
  thread_title: nullable(Type.String()),
  assistant_id: Type.String(),
  status: oneOf(runStatuses),
  model_name: nullable(Type.String()),
  created_at: isoTime,
  updated_at: isoTime,
  queue_seconds: Type.Number({
    minimum: 0,
    description: 'How long it waited before it began; until now, or until its end, when it never did.',
  }),
  duration_seconds: nullable(
    Type.Number({
      minimum: 0,
      description: 'Since it began, without the wait; until now, while it is at work.',
    }),
  ),
  total_tokens: count,
  input_tokens: count,
  output_tokens: count,
  simulated: Type.Boolean({ description: 'The demo model answered, in whole or in part.' }),
  message_count: count,
  cost,
  currency,
  error: nullable(Type.String()),
});
export type ConsoleRun = Static<typeof consoleRun>;

export const consoleDay = Type.Object({
  date: Type.String({ description: 'As the clock of `tz_offset_minutes` has it.' }),
  total_tokens: count,
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: Type.Integer({ minimum: 0, description: 'Of the input.' }),
  simulated_tokens,
  runs: count,
  cost,
  ...work,
});

export const workflowUsage = Type.Object({
  workflow: nullable(Type.String({ description: 'The name that the tasks had; null for those without.' })),
  tasks: Type.Integer({ minimum: 0, description: 'That ended, whatever became of them.' }),
  failed_tasks: count,
  task_seconds: Type.Number({ minimum: 0 }),
  cost,
});
export type WorkflowUsage = Static<typeof workflowUsage>;

export const consoleUsage = Type.Object({
  days: Type.Array(consoleDay, { description: 'Without gaps, the latest last.' }),
  by_model: Type.Record(
    Type.String(),
    Type.Object({
      ...tokenCounts,
      runs: count,
      cost,
      currency,
      simulated: Type.Boolean({ description: 'The demo model, which no one pays for.' }),
    }),
    {
      description: 'By the model that answered. A run with two models counts under both.',
    },
  ),
  by_user: Type.Array(
    Type.Object({
      user_id: Type.String(),
      email: nullable(Type.String({ description: 'Null when the account is gone.' })),
      tokens: count,
      simulated_tokens,
      runs: count,
      cost,
      ...work,
    }),
    { description: 'The 100 who used most; the caller alone unless `scope` is `all`.' },
  ),
  by_agent: Type.Array(
    Type.Object({
      agent: nullable(
        Type.String({
          description: 'As the requests named it; null for what was used before agents were counted.',
        }),
      ),
      tokens: count,
      simulated_tokens,
      runs: count,
      cost,
      ...work,
    }),
    { description: 'The 100 that used most.' },
  ),
  by_workflow: Type.Array(workflowUsage, {
    description: 'Tasks on the pool that agents asked for: the 100 workflows that took longest.',
  }),
  total_tokens: count,
  simulated_tokens,
  total_runs: count,
  total_tasks: count,
  total_task_seconds: Type.Number({ minimum: 0 }),
  total_worker_cost: work.worker_cost,
  worker_currency: currency,
  total_cost: cost,
  currency,
  costs: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
    description: 'What is known of the cost, by currency.',
  }),
  unpriced_tokens: Type.Integer({
    minimum: 0,
    description: 'Of models without a price; in none of the costs.',
  }),
});
export type ConsoleUsage = Static<typeof consoleUsage>;

export const consoleRunPage = Type.Object({
  runs: Type.Array(consoleRun),
  has_more: Type.Boolean(),
  next_cursor: nullable(Type.String({ description: 'The `cursor` of the next page. Null on the last one.' })),
});
export type ConsoleRunPage = Static<typeof consoleRunPage>;

export const getConsoleStats = {
  method: 'GET',
  url: '/api/console/stats',
  config: read,
  schema: {
    summary: 'How much there is, and what it has cost',
    description:
      'Runs and threads that are there now; tokens and costs also of what was deleted. Needs a database that lasts.',
    tags,
    querystring: Type.Object({ scope }),
    response: { 200: consoleStats },
  },
} as const satisfies Endpoint;

export const listConsoleRuns = {
  method: 'GET',
  url: '/api/console/runs',
  config: read,
  schema: {
    summary: 'Runs of all threads, the newest first',
    tags,
    querystring: Type.Object({
      limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 100, default: 20 })),
      offset: Type.Optional(wholeNumber({ minimum: 0, maximum: 100_000, default: 0 })),
      cursor: Type.Optional(
        Type.String({
          maxLength: 500,
          description: '`next_cursor` of the page before; the pages then hold still.',
        }),
      ),
      status: Type.Optional(oneOf(runStatuses)),
      agent: Type.Optional(
        Type.String({
          maxLength: 256,
          description: 'Only runs of this assistant, as the requests named it.',
        }),
      ),
      model: Type.Optional(
        Type.String({ maxLength: 256, description: 'Only runs that this model answered.' }),
      ),
      thread_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only runs of this thread.' })),
      scope,
    }),
    response: { 200: consoleRunPage },
  },
} as const satisfies Endpoint;

export const getConsoleUsage = {
  method: 'GET',
  url: '/api/console/usage',
  config: read,
  schema: {
    summary: 'Tokens, tasks and costs by day, model, user and workflow',
    description: 'Of runs that ended in these days, also of those that were deleted since.',
    tags,
    querystring: Type.Object({
      days: Type.Optional(
        wholeNumber({ minimum: 1, maximum: 90, default: 14, description: 'Until today, today included.' }),
      ),
      tz_offset_minutes: Type.Optional(
        wholeNumber({
          minimum: -840,
          maximum: 840,
          default: 0,
          description: 'By which the clock of the caller is ahead of UTC: 330 in India, -480 in California.',
        }),
      ),
      scope,
    }),
    response: { 200: consoleUsage },
  },
} as const satisfies Endpoint;
