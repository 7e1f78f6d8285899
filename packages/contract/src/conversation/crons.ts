import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf, pageOffset, wholeNumber } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';
import { runCreate } from './run.ts';
import { metadata, openRecord } from './thread.ts';

const tags = ['Crons'];
const params = Type.Object({ cron_id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }) });
const writes = { access: 'conversation:write', bodyLimit: 524_288 } as const;
const reads = { access: 'conversation:read', bodyLimit: 65_536 } as const;
const textOrNull = nullable(Type.String());

/** A scheduled task of the type `cron`, as LangGraph clients know it. */
export const cron = Type.Object({
  cron_id: Type.String(),
  assistant_id: Type.String(),
  thread_id: textOrNull,
  on_run_completed: Type.Optional(oneOf(['delete', 'keep'])),
  end_time: nullable(isoTime),
  schedule: Type.String(),
  timezone: textOrNull,
  created_at: isoTime,
  updated_at: isoTime,
  payload: openRecord({
    description: 'What each run is asked: `assistant_id`, `input`, `config` and so on.',
  }),
  user_id: textOrNull,
  next_run_date: nullable(isoTime),
  metadata: openRecord(),
  enabled: Type.Boolean(),
});
export type Cron = Static<typeof cron>;

export const cronFields = [
  'cron_id',
  'assistant_id',
  'thread_id',
  'on_run_completed',
  'end_time',
  'schedule',
  'timezone',
  'created_at',
  'updated_at',
  'payload',
  'user_id',
  'next_run_date',
  'metadata',
  'enabled',
] as const satisfies (keyof Cron)[];

const { properties: ofRun } = runCreate;
const asked = {
  input: ofRun.input,
  config: ofRun.config,
  context: ofRun.context,
  interrupt_before: ofRun.interrupt_before,
  interrupt_after: ofRun.interrupt_after,
  webhook: ofRun.webhook,
  durability: ofRun.durability,
  stream_mode: ofRun.stream_mode,
  stream_subgraphs: ofRun.stream_subgraphs,
  stream_resumable: ofRun.stream_resumable,
};
const schedule = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Minute, hour, day of the month, month, day of the week: `0 9 * * 1-5`.',
});
const when = {
  timezone: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 64, description: '`UTC` when absent.' })),
  ),
  end_time: Type.Optional(
    nullable(Type.String({ maxLength: 64, description: 'ISO 8601. No run begins for a later moment.' })),
  ),
  enabled: Type.Optional(nullable(Type.Boolean())),
  on_run_completed: Type.Optional(
    nullable(
      oneOf(['delete', 'keep'], {
        description: 'What becomes of the thread that a run has got of its own. `delete` when absent.',
      }),
    ),
  ),
  metadata: Type.Optional(nullable(metadata)),
};

export const newCron = Type.Object({
  assistant_id: Type.String({ minLength: 1, maxLength: 128 }),
  schedule,
  ...when,
  ...asked,
  multitask_strategy: ofRun.multitask_strategy,
  checkpoint_during: ofRun.checkpoint_during,
});
export type NewCron = Static<typeof newCron>;

export const cronChange = Type.Object({ schedule: Type.Optional(nullable(schedule)), ...when, ...asked });
export type CronChange = Static<typeof cronChange>;

const filters = {
  assistant_id: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
  thread_id: Type.Optional(nullable(threadId)),
  metadata: Type.Optional(
    nullable(openRecord({ maxProperties: 20, description: 'Each key must hold exactly this value.' })),
  ),
};
export const cronFilter = Type.Object(filters);
export type CronFilter = Static<typeof cronFilter>;

export const cronSearch = Type.Object({
  ...filters,
  enabled: Type.Optional(nullable(Type.Boolean())),
  limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 1000, default: 10 })),
  offset: pageOffset,
  sort_by: Type.Optional(
    nullable(
      oneOf([
        'cron_id',
        'assistant_id',
        'thread_id',
        'next_run_date',
        'end_time',
        'created_at',
        'updated_at',
      ]),
    ),
  ),
  sort_order: Type.Optional(nullable(oneOf(['asc', 'desc'], { description: 'Default `desc`.' }))),
  select: Type.Optional(nullable(Type.Array(oneOf(cronFields), { maxItems: 20 }))),
});
export type CronSearch = Static<typeof cronSearch>;

export const createCron = {
  method: 'POST',
  url: '/api/runs/crons',
  config: writes,
  schema: {
    summary: 'Run an agent again and again, each time in a new thread',
    tags,
    body: newCron,
    response: { 200: cron },
  },
} as const satisfies Endpoint;

export const createThreadCron = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/crons',
  config: writes,
  schema: {
    summary: 'Run an agent again and again in a thread',
    tags,
    params: threadParams,
    body: newCron,
    response: { 200: cron },
  },
} as const satisfies Endpoint;

export const searchCrons = {
  method: 'POST',
  url: '/api/runs/crons/search',
  config: reads,
  schema: {
    summary: "The caller's crons, the newest first",
    description: 'Scheduled tasks of the type `cron` are among them; those of the type `once` are not.',
    tags,
    body: cronSearch,
    response: { 200: Type.Array(Type.Partial(cron)) },
  },
} as const satisfies Endpoint;

export const countCrons = {
  method: 'POST',
  url: '/api/runs/crons/count',
  config: reads,
  schema: {
    summary: 'How many crons a search would find',
    tags,
    body: cronFilter,
    response: { 200: Type.Integer() },
  },
} as const satisfies Endpoint;

export const patchCron = {
  method: 'PATCH',
  url: '/api/runs/crons/:cron_id',
  config: writes,
  schema: {
    summary: 'Change a cron',
    description: 'A field that is absent stays as it is, and `end_time: null` lets it run for ever.',
    tags,
    params,
    body: cronChange,
    response: { 200: cron },
  },
} as const satisfies Endpoint;

export const deleteCron = {
  method: 'DELETE',
  url: '/api/runs/crons/:cron_id',
  config: { access: 'conversation:write' },
  schema: { summary: 'Delete a cron', tags, params, response: { 204: Type.Null() } },
} as const satisfies Endpoint;
