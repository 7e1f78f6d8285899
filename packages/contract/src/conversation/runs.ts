import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { oneOf, pageOffset, wholeNumber } from '../shapes.ts';
import { runId, runParams, threadId, threadParams } from './ids.ts';
import { cancelActions, run, runCreate, runStatuses, streamModes } from './run.ts';

const tags = ['Runs'];
const statelessTags = ['Runs without a thread'];
const read = { access: 'conversation:read' } as const;
const write = { access: 'conversation:write', bodyLimit: 16_384 } as const;
const createMany = { access: 'conversation:write', bodyLimit: 'large' } as const;
const create = { ...createMany, inOrderOf: 'thread_id' } as const;

/** Reading a run. The flag makes the run end with its reader, which needs the scope to write. */
const watch = {
  access: 'conversation:read',
  changingFlag: { name: 'cancel_on_disconnect', scope: 'conversation:write' },
} as const;

/** Also takes `0` and `1`, which clients write into addresses. */
const flags = ['0', '1', 'false', 'true'] as const;
const flag = oneOf(flags);
const onlyRunParams = Type.Object({ run_id: runId });
const resumeHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Go on after this event. `-1`, like none, begins at the start of what is kept.',
    }),
  ),
});
const cancelOnDisconnect = Type.Optional(
  oneOf(flags, {
    description:
      'Cancels the run when the client goes away. Needs the scope `conversation:write`, and with a cookie the CSRF header.',
  }),
);
const streamQuery = {
  cancel_on_disconnect: cancelOnDisconnect,
  stream_mode: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 50,
      description: `Leaves out frames of other modes: ${streamModes.join(', ')}.`,
    }),
  ),
};
const cancelQuery = { wait: Type.Optional(flag), action: Type.Optional(oneOf(cancelActions)) };

const events = Type.String({ description: 'Server-sent events; a clean end means that the run is over.' });
const values = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The final values. A run that failed has `__error__: { error, message }` beside them. White space may come first, while the run goes on.',
});
const nothing = Type.Null();

export const createRun = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs',
  config: create,
  schema: {
    summary: 'Start a run',
    description: 'Answered when the run is stored. `Content-Location` is its address.',
    tags,
    params: threadParams,
    body: runCreate,
    response: { 200: run },
  },
} as const satisfies Endpoint;

export const streamRun = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/stream',
  config: create,
  schema: {
    summary: 'Start a run and stream it',
    description:
      '`Content-Location` is the address of the run, `Location` that of its stream, relative to the mount. Come back there with `Last-Event-ID`.',
    tags,
    params: threadParams,
    body: runCreate,
    produces: ['text/event-stream'],
    response: { 200: events },
  },
} as const satisfies Endpoint;

export const waitRun = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/wait',
  config: create,
  schema: {
    summary: 'Start a run and wait for its end',
    description: '`X-Run-Id` and, where the run ended soon, `X-Run-Status` say more than the body.',
    tags,
    params: threadParams,
    body: runCreate,
    response: { 200: values },
  },
} as const satisfies Endpoint;

export const runListFields = Object.keys(run.properties) as (keyof typeof run.properties)[];

export const listRuns = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs',
  config: read,
  schema: {
    summary: 'List the runs of a thread, the newest first',
    tags,
    params: threadParams,
    querystring: Type.Object({
      limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 1_000, default: 100 })),
      offset: pageOffset,
      status: Type.Optional(oneOf(runStatuses)),
      select: Type.Optional(
        Type.Array(oneOf(runListFields), { maxItems: 100, description: 'Only these fields.' }),
      ),
    }),
    response: { 200: Type.Array(Type.Partial(run)) },
  },
} as const satisfies Endpoint;

export const getRun = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id',
  config: read,
  schema: { summary: 'One run', tags, params: runParams, response: { 200: run } },
} as const satisfies Endpoint;

export const cancelRun = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/:run_id/cancel',
  config: write,
  schema: {
    summary: 'Cancel a run',
    description:
      '`interrupt` (the default) keeps what the run has done, `rollback` brings the state back to where it was before. 202 at once; with `wait=1`, 204 when the run has ended. Cancelling a cancelled run again is fine.',
    tags,
    params: runParams,
    querystring: Type.Object(cancelQuery),
    response: { 202: nothing, 204: nothing },
  },
} as const satisfies Endpoint;

export const joinRun = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/join',
  config: watch,
  schema: {
    summary: 'Wait for the end of a run',
    tags,
    params: runParams,
    querystring: Type.Object({ cancel_on_disconnect: cancelOnDisconnect }),
    response: { 200: values },
  },
} as const satisfies Endpoint;

export const streamExistingRun = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/stream',
  config: watch,
  schema: {
    summary: 'Stream a run that exists',
    description:
      'What is kept first, then live. A run that is over and no longer kept sends its final values.',
    tags,
    params: runParams,
    querystring: Type.Object(streamQuery),
    headers: resumeHeaders,
    produces: ['text/event-stream'],
    response: { 200: events },
  },
} as const satisfies Endpoint;

export const threadStreamModes = ['run_modes', 'lifecycle', 'state_update'] as const;
export type ThreadStreamMode = (typeof threadStreamModes)[number];

export const streamThread = {
  method: 'GET',
  url: '/api/threads/:thread_id/stream',
  config: read,
  schema: {
    summary: 'Stream all runs of a thread, those that come included',
    description:
      'Begins with runs that have not ended, or behind `Last-Event-ID` (`<run id>:<number>`), and lasts until the client leaves.',
    tags,
    params: threadParams,
    querystring: Type.Object({
      stream_mode: Type.Optional(
        Type.Array(Type.String({ maxLength: 64 }), {
          maxItems: 10,
          description:
            '`run_modes`: every frame of each run, the default. `lifecycle`: how runs begin and end. `state_update`: states.',
        }),
      ),
    }),
    headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 128 })) }),
    produces: ['text/event-stream'],
    response: { 200: Type.String({ description: 'Server-sent events.' }) },
  },
} as const satisfies Endpoint;

export const cancelAndStreamRun = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/:run_id/stream',
  config: write,
  schema: {
    summary: 'Stream a run that exists, cancelling it first where `action` says so',
    description: 'With `action` and `wait=1`: 204 when the run has ended, without a stream.',
    tags,
    params: runParams,
    querystring: Type.Object({ ...streamQuery, ...cancelQuery }),
    headers: resumeHeaders,
    produces: ['text/event-stream'],
    response: { 200: events, 204: nothing },
  },
} as const satisfies Endpoint;

export const deleteRun = {
  method: 'DELETE',
  url: '/api/threads/:thread_id/runs/:run_id',
  config: write,
  schema: {
    summary: 'Delete a run that has ended, with its events and feedback',
    tags,
    params: runParams,
    response: { 204: nothing },
  },
} as const satisfies Endpoint;

export const createStatelessRun = {
  method: 'POST',
  url: '/api/runs',
  config: create,
  schema: {
    summary: 'Start a run in a thread of its own',
    description:
      'The thread is that of `config.configurable.thread_id`, or a new one. `on_completion` says what becomes of it.',
    tags: statelessTags,
    body: runCreate,
    response: { 200: run },
  },
} as const satisfies Endpoint;

export const streamStatelessRun = {
  method: 'POST',
  url: '/api/runs/stream',
  config: create,
  schema: {
    summary: 'Start a run in a thread of its own and stream it',
    tags: statelessTags,
    body: runCreate,
    produces: ['text/event-stream'],
    response: { 200: events },
  },
} as const satisfies Endpoint;

export const waitStatelessRun = {
  method: 'POST',
  url: '/api/runs/wait',
  config: create,
  schema: {
    summary: 'Start a run in a thread of its own and wait for its end',
    tags: statelessTags,
    body: runCreate,
    response: { 200: values },
  },
} as const satisfies Endpoint;

export const maxBatch = 100;

export const createRunBatch = {
  method: 'POST',
  url: '/api/runs/batch',
  config: createMany,
  schema: {
    summary: 'Start several runs, each in a thread of its own',
    tags: statelessTags,
    body: Type.Array(runCreate, { minItems: 1, maxItems: maxBatch }),
    response: { 200: Type.Array(run) },
  },
} as const satisfies Endpoint;

export const cancelRuns = {
  method: 'POST',
  url: '/api/runs/cancel',
  config: write,
  schema: {
    summary: 'Cancel several runs',
    description: 'Those of `run_ids`, or those of a thread, or all of yours that have the status.',
    tags,
    querystring: Type.Object(cancelQuery),
    body: Type.Object({
      thread_id: Type.Optional(Type.Union([threadId, Type.Null()])),
      run_ids: Type.Optional(Type.Union([Type.Array(runId, { minItems: 1, maxItems: 1_000 }), Type.Null()])),
      status: Type.Optional(Type.Union([oneOf(['pending', 'running', 'all']), Type.Null()])),
    }),
    response: { 202: nothing, 204: nothing },
  },
} as const satisfies Endpoint;

export const streamRunById = {
  method: 'GET',
  url: '/api/runs/:run_id/stream',
  config: watch,
  schema: {
    summary: 'Stream a run that exists, by its id alone',
    tags: statelessTags,
    params: onlyRunParams,
    querystring: Type.Object(streamQuery),
    headers: resumeHeaders,
    produces: ['text/event-stream'],
    response: { 200: events },
  },
} as const satisfies Endpoint;
