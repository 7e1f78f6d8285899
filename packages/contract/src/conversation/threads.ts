import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';
import {
  checkpointId,
  foundThread,
  historyEntry,
  metadata,
  thread,
  threadState,
  wantedCheckpoint,
} from './thread.ts';
import {
  historyBody,
  historyLimit,
  newThread,
  statePatch,
  threadFilter,
  threadSearch,
  threadTtl,
} from './thread-inputs.ts';

const tags = ['Threads'];

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
      '`X-Pagination-Total` says how many there are (`10000` means that or more), `X-Pagination-Next` the offset of the next page where there is one. A search by `values`, or by several conditions, looks at 10,000 threads in the wanted order; where there are more, `X-Search-Partial: true` says that others may match, and metadata narrows it.',
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
    description:
      'Exact up to 10,000, among the 10,000 threads changed last where `values` or several conditions are asked for. Beyond that, `X-Total-Is-Minimum: true` says that there are this many or more.',
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
    summary: 'Give a thread a title, or merge metadata into it',
    description: 'With `Prefer: return=minimal` the answer is 204 without a body.',
    tags,
    params: threadParams,
    headers: Type.Object({ prefer: Type.Optional(Type.String({ maxLength: 200 })) }),
    body: Type.Object({
      title: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 256,
            description: 'Stays until the user gives another one. The state of the thread does not change.',
          }),
        ),
      ),
      metadata: Type.Optional(nullable(metadata)),
      ttl: threadTtl,
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
      'Makes a new checkpoint, through the reducers of its graph; 409 while a run is under way. A `title` becomes the title of the thread. Values for channels that the graph does not have are refused under `/api`, and left out under `/api/langgraph`, as LangGraph does.',
    tags,
    params: threadParams,
    body: statePatch,
    response: { 200: threadState },
  },
} as const satisfies Endpoint;

export const patchState = {
  method: 'PATCH',
  url: '/api/threads/:thread_id/state',
  config: {
    access: 'conversation:write',
    deprecated: { since: '2026-11-28', until: '2027-11-28', instead: 'PATCH /api/threads/{thread_id}' },
  },
  schema: {
    summary: 'Merge metadata into a thread, as older clients do',
    tags,
    params: threadParams,
    body: Type.Object({ metadata: Type.Optional(nullable(metadata)) }),
    response: { 204: Type.Null() },
  },
} as const satisfies Endpoint;

export const readHistory = {
  method: 'POST',
  url: '/api/threads/:thread_id/history',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Past states of a thread, the newest first',
    description:
      "Under `/api` only the thread's newest state carries its messages, and checkpoints are ids alone: a page that sends a whole checkpoint back with its next message forks from it.",
    tags,
    params: threadParams,
    body: historyBody,
    response: { 200: Type.Array(historyEntry) },
  },
} as const satisfies Endpoint;

export const getHistory = {
  method: 'GET',
  url: '/api/threads/:thread_id/history',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Past states of a thread, the newest first',
    description:
      "Under `/api` only the thread's newest state carries its messages, and checkpoints are ids alone: a page that sends a whole checkpoint back with its next message forks from it.",
    tags,
    params: threadParams,
    querystring: Type.Object({
      limit: historyLimit,
      before: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    }),
    response: { 200: Type.Array(historyEntry) },
  },
} as const satisfies Endpoint;
