import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';
import { multitaskStrategies, runConfig, runCreate } from './run.ts';

/**
 * LangGraph's second streaming protocol: commands to a thread, and the events of a thread. Clients are the SDK's
 * `client.threads.stream` and the hooks that are built on it, such as `@langchain/react`.
 */
const tags = ['Protocol v2'];

/** The limits of what a client may send. */
export const protocolLimits = {
  channels: 64,
  namespaces: 100,
  segments: 100,
  answers: 100,
  word: 256,
  socketsPerUser: 20,
  subscriptionsPerSocket: 32,
  /** Commands of one socket that wait for their answer. */
  commandsWaiting: 100,
  socketMessageBytes: 1_048_576,
  pingIntervalMs: 20_000,
  /** After this time without a command the operator's own authentication is asked again who is calling. */
  confirmIntervalMs: 300_000,
} as const;

/** Close codes of the socket: 4000 and the status that the same refusal has over HTTP, which the operator's own handlers may choose. */
export const protocolCloseCodes = {
  sessionEnded: 4401,
  tooManyCommands: 4429,
} as const;

export const protocolErrorCodes = [
  'invalid_argument',
  'unknown_command',
  'unknown_error',
  'no_such_run',
  'no_such_subscription',
  'no_such_namespace',
  'no_such_interrupt',
  'no_such_checkpoint',
  'permission_denied',
  'not_supported',
] as const;
export type ProtocolErrorCode = (typeof protocolErrorCodes)[number];

const record = Type.Record(Type.String(), Type.Unknown());
const word = Type.String({ maxLength: protocolLimits.word });
const namespace = Type.Array(word, { maxItems: protocolLimits.segments });
const optionalRecord = Type.Optional(nullable(record));

export const protocolCommand = Type.Object({
  id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  method: Type.String({ maxLength: 64 }),
  params: Type.Optional(record),
});
export type ProtocolCommand = Static<typeof protocolCommand>;

export const eventFilter = Type.Object({
  channels: Type.Array(word, {
    minItems: 1,
    maxItems: protocolLimits.channels,
    description:
      'values, updates, messages, tools, lifecycle, input, checkpoints, tasks, custom, or `custom:<name>`. Others are ignored.',
  }),
  namespaces: Type.Optional(
    Type.Array(namespace, {
      maxItems: protocolLimits.namespaces,
      description: 'Beginnings of namespaces; all when absent.',
    }),
  ),
  depth: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000, description: 'Segments beyond such a beginning.' }),
  ),
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Leaves out events before this `seq` of the thread.',
    }),
  ),
});

export const runStartParams = Type.Object({
  assistant_id: Type.Optional(runCreate.properties.assistant_id),
  input: Type.Optional(Type.Unknown()),
  config: Type.Optional(Type.Union([runConfig, Type.Null()])),
  context: optionalRecord,
  metadata: optionalRecord,
  multitaskStrategy: Type.Optional(Type.Union([oneOf(multitaskStrategies), Type.Null()])),
  multitask_strategy: Type.Optional(Type.Union([oneOf(multitaskStrategies), Type.Null()])),
  interrupt_before: runCreate.properties.interrupt_before,
  interrupt_after: runCreate.properties.interrupt_after,
  durability: runCreate.properties.durability,
});

const answer = Type.Object({
  namespace: Type.Optional(namespace),
  interrupt_id: word,
  response: Type.Optional(Type.Unknown()),
});
const besideAnswers = {
  update: Type.Optional(Type.Unknown()),
  goto: Type.Optional(Type.Unknown()),
  config: Type.Optional(Type.Union([runConfig, Type.Null()])),
  metadata: optionalRecord,
};
export const oneAnswerParams = Type.Object({ ...answer.properties, ...besideAnswers });
export const manyAnswersParams = Type.Object({
  responses: Type.Array(answer, { minItems: 1, maxItems: protocolLimits.answers }),
  ...besideAnswers,
});

export const treeParams = Type.Object({ run_id: Type.Optional(Type.String({ maxLength: 64 })) });

export const stateParams = Type.Object({
  namespace: Type.Optional(namespace),
  keys: Type.Optional(Type.Array(word, { maxItems: 1_000 })),
});

const success = Type.Object({
  type: Type.Literal('success'),
  id: Type.Integer(),
  result: record,
  meta: Type.Optional(
    Type.Object({
      thread_id: threadId,
      applied_through_seq: Type.Integer({
        description: 'Events up to this `seq` are older than the command.',
      }),
    }),
  ),
});
const failure = Type.Object({
  type: Type.Literal('error'),
  id: nullable(Type.Integer()),
  error: oneOf(protocolErrorCodes),
  message: Type.String(),
});
export type ProtocolAnswer = Static<typeof success> | Static<typeof failure>;

export const sendCommand = {
  method: 'POST',
  url: '/api/threads/:thread_id/commands',
  config: { access: 'conversation:write', bodyLimit: 'large', inOrderOf: 'thread_id' },
  schema: {
    summary: 'Send a command of protocol v2',
    description:
      '`{ id, method, params }` with the methods run.start, input.respond, agent.getTree and state.get. A command that cannot be obeyed is answered with 200 and `type: "error"`, a body that is not a command with 422 and the same form.',
    tags,
    params: threadParams,
    body: Type.Unknown({ description: 'The command.' }),
    response: { 200: Type.Union([success, failure]), 422: failure },
  },
} as const satisfies Endpoint;

export const streamThreadEvents = {
  method: 'POST',
  url: '/api/threads/:thread_id/stream/events',
  config: { access: 'conversation:read', bodyLimit: 262_144 },
  schema: {
    summary: 'Stream the events of a thread in protocol v2',
    description:
      'First the events of runs whose frames are kept, then live ones, across runs, until the client leaves. `event_id` is the same on each connection. A thread that does not exist yet is waited for.',
    tags,
    params: threadParams,
    body: Type.Unknown({ description: '`{ channels, namespaces?, depth?, since? }`' }),
    produces: ['text/event-stream'],
    response: { 200: Type.String({ description: 'Server-sent events.' }), 422: failure },
  },
} as const satisfies Endpoint;

export const openThreadSocket = {
  method: 'GET',
  url: '/api/threads/:thread_id/stream/events',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'Commands and events of a thread in protocol v2 over a WebSocket',
    description:
      'Takes the commands of `POST …/commands`, and `subscription.subscribe` and `subscription.unsubscribe`. The answer to a subscription comes before its events, and its `replayed_events` says how many of them are kept from before. With a cookie the page has to be of an allowed origin. A thread that does not exist yet is waited for. A caller of the auth of langgraph.json is asked about with each command, and every five minutes.',
    tags,
    params: threadParams,
    response: { 101: Type.Unknown({ description: 'The protocol is switched.' }) },
  },
} as const satisfies Endpoint;

export const unsubscribeParams = Type.Object({ subscription_id: word });
