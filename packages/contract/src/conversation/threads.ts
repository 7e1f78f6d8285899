import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';
import {
  checkpointId,
  foundThread,
  metadata,
  thread,
  threadFields,
  threadState,
  threadStatuses,
  wantedCheckpoint,
} from './thread.ts';

const tags = ['Threads'];

const superstep = Type.Object({
  updates: Type.Array(
    Type.Object({
      values: Type.Optional(Type.Unknown()),
      command: Type.Optional(
        nullable(
          Type.Object({
            update: Type.Optional(Type.Unknown()),
            resume: Type.Optional(Type.Null({ description: 'A superstep resumes nothing.' })),
            goto: Type.Optional(Type.Null({ description: 'A superstep starts nothing.' })),
          }),
        ),
      ),
      as_node: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

export const newThread = Type.Object({
  thread_id: Type.Optional(nullable(threadId)),
  assistant_id: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 128 }))),
  metadata: Type.Optional(nullable(metadata)),
  if_exists: Type.Optional(
    oneOf(['raise', 'do_nothing'], {
      description:
        'For a thread that the caller has already: 409, or the thread as it is. Left out, `/api` answers the thread and `/api/langgraph` 409.',
    }),
  ),
  supersteps: Type.Optional(
    Type.Array(superstep, {
      maxItems: 1000,
      description: 'Updates that make the state the thread begins with.',
    }),
  ),
});
export type NewThreadBody = Static<typeof newThread>;

const filterValue = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
});

const filters = {
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string | number | boolean | null> | null>({
      type: ['object', 'null'],
      additionalProperties: filterValue,
      propertyNames: { pattern: '^[A-Za-z0-9_-]{1,128}$' },
      maxProperties: 20,
      description:
        'Each key must hold exactly this value, with its type: a text of at most 1,024 bytes, a number, true, false or null.',
    }),
  ),
  values: Type.Optional(
    Type.Unsafe<Record<string, string | number | boolean | null> | null>({
      type: ['object', 'null'],
      additionalProperties: filterValue,
      maxProperties: 20,
      description: 'As `metadata`, on the top level of the latest state.',
    }),
  ),
  status: Type.Optional(oneOf(threadStatuses)),
  ids: Type.Optional(nullable(Type.Array(threadId, { maxItems: 1000 }))),
};

export const threadFilter = Type.Object(filters);
export type ThreadFilterBody = Static<typeof threadFilter>;

export const threadSearch = Type.Object({
  ...filters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 100; 10 under `/api/langgraph`.' }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  sort_by: Type.Optional(oneOf(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'])),
  sort_order: Type.Optional(oneOf(['asc', 'desc'], { description: 'Default `desc`.' })),
  select: Type.Optional(
    nullable(
      Type.Array(oneOf([...threadFields, 'config', 'context']), {
        maxItems: 20,
        description:
          'Fields to answer; all of them when left out. A thread has no `config` and no `context`.',
      }),
    ),
  ),
  extract: Type.Optional(
    Type.Unsafe<Record<string, string> | null>({
      type: ['object', 'null'],
      additionalProperties: Type.String({ minLength: 1, maxLength: 256 }),
      maxProperties: 10,
      description: 'Paths into the thread by alias: `values.messages[-1].content`, `metadata.topic`.',
    }),
  ),
});
export type ThreadSearchBody = Static<typeof threadSearch>;

export const statePatch = Type.Object({
  values: Type.Optional(Type.Unknown({ description: 'Channels to change, each through its reducer.' })),
  as_node: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
  checkpoint: Type.Optional(nullable(wantedCheckpoint)),
  checkpoint_id: Type.Optional(nullable(checkpointId)),
});
export type StatePatchBody = Static<typeof statePatch>;

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 }));

export const historyBody = Type.Object({
  limit,
  before: Type.Optional(
    Type.Unsafe<string | Record<string, unknown> | null>({
      type: ['string', 'object', 'null'],
      maxLength: 128,
      additionalProperties: true,
      description: 'Only what is older than this checkpoint: its id, or an object that names it.',
    }),
  ),
  metadata: Type.Optional(nullable(metadata)),
  checkpoint: Type.Optional(nullable(wantedCheckpoint)),
});
export type HistoryBody = Static<typeof historyBody>;

export const createThread = {
  method: 'POST',
  url: '/api/threads',
  config: { access: 'conversation:write', bodyLimit: 'large' },
  schema: {
    summary: 'Make a thread',
    description:
      'A thread that the caller has already is answered as it is, unless `if_exists` says otherwise.',
    tags,
    body: newThread,
    response: { 200: thread },
  },
} as const satisfies Endpoint;

export const searchThreads = {
  method: 'POST',
  url: '/api/threads/search',
  config: { access: 'conversation:read' },
  schema: {
    summary: "Search the caller's threads, the last changed first",
    description:
      '`X-Pagination-Total` says how many there are (`10000` means that or more), `X-Pagination-Next` the offset of the next page where there is one.',
    tags,
    body: threadSearch,
    response: { 200: Type.Array(foundThread) },
  },
} as const satisfies Endpoint;

export const countThreads = {
  method: 'POST',
  url: '/api/threads/count',
  config: { access: 'conversation:read' },
  schema: {
    summary: "Count the caller's threads",
    tags,
    body: threadFilter,
    response: { 200: Type.Integer() },
  },
} as const satisfies Endpoint;

export const pruneThreads = {
  method: 'POST',
  url: '/api/threads/prune',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete threads, or their older checkpoints',
    tags,
    body: Type.Object({
      thread_ids: Type.Array(threadId, { minItems: 1, maxItems: 1000 }),
      strategy: Type.Optional(
        oneOf(['delete', 'keep_latest'], { description: '`delete` (the default): the threads whole.' }),
      ),
    }),
    response: { 200: Type.Object({ pruned_count: Type.Integer() }) },
  },
} as const satisfies Endpoint;

export const getThread = {
  method: 'GET',
  url: '/api/threads/:thread_id',
  config: { access: 'conversation:read' },
  schema: { summary: 'One thread', tags, params: threadParams, response: { 200: thread } },
} as const satisfies Endpoint;

export const patchThread = {
  method: 'PATCH',
  url: '/api/threads/:thread_id',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Merge metadata into a thread',
    description: 'With `Prefer: return=minimal` the answer is 204 without a body.',
    tags,
    params: threadParams,
    headers: Type.Object({ prefer: Type.Optional(Type.String({ maxLength: 200 })) }),
    body: Type.Object({
      metadata: Type.Optional(nullable(metadata)),
    }),
    response: { 200: thread, 204: Type.Null() },
  },
} as const satisfies Endpoint;

export const deleteThread = {
  method: 'DELETE',
  url: '/api/threads/:thread_id',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete a thread and everything in it',
    description:
      'Runs under way are cancelled first; 409 while one does not stop. The id answers 404 from then on, to everybody and for ever.',
    tags,
    params: threadParams,
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  },
} as const satisfies Endpoint;

export const copyThread = {
  method: 'POST',
  url: '/api/threads/:thread_id/copy',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Copy a thread with its checkpoints',
    tags,
    params: threadParams,
    response: { 200: thread },
  },
} as const satisfies Endpoint;

const subgraphs = Type.Optional(
  Type.Boolean({ default: false, description: 'With the states of subgraphs, in their tasks.' }),
);

export const getState = {
  method: 'GET',
  url: '/api/threads/:thread_id/state',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The latest state of a thread',
    tags,
    params: threadParams,
    querystring: Type.Object({ subgraphs }),
    response: { 200: threadState },
  },
} as const satisfies Endpoint;

export const getStateAt = {
  method: 'GET',
  url: '/api/threads/:thread_id/state/:checkpoint_id',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The state at a checkpoint',
    tags,
    params: Type.Object({ thread_id: threadId, checkpoint_id: checkpointId }),
    querystring: Type.Object({ subgraphs }),
    response: { 200: threadState },
  },
} as const satisfies Endpoint;

export const readStateAt = {
  method: 'POST',
  url: '/api/threads/:thread_id/state/checkpoint',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The state at a checkpoint, which may be of a subgraph',
    tags,
    params: threadParams,
    body: Type.Object({ checkpoint: wantedCheckpoint, subgraphs }),
    response: { 200: threadState },
  },
} as const satisfies Endpoint;

export const updateState = {
  method: 'POST',
  url: '/api/threads/:thread_id/state',
  config: { access: 'conversation:write', bodyLimit: 'large' },
  schema: {
    summary: 'Change the state of a thread',
    description:
      'Makes a new checkpoint, through the reducers of its graph; 409 while a run is under way. A `title` becomes the title of the thread.',
    tags,
    params: threadParams,
    body: statePatch,
    response: { 200: threadState },
  },
} as const satisfies Endpoint;

export const readHistory = {
  method: 'POST',
  url: '/api/threads/:thread_id/history',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Past states of a thread, the newest first',
    description: "Under `/api` only the thread's newest state carries its messages.",
    tags,
    params: threadParams,
    body: historyBody,
    response: { 200: Type.Array(threadState) },
  },
} as const satisfies Endpoint;

export const getHistory = {
  method: 'GET',
  url: '/api/threads/:thread_id/history',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Past states of a thread, the newest first',
    description: "Under `/api` only the thread's newest state carries its messages.",
    tags,
    params: threadParams,
    querystring: Type.Object({
      limit,
      before: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    }),
    response: { 200: Type.Array(threadState) },
  },
} as const satisfies Endpoint;
