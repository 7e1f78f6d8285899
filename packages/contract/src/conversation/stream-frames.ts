import { type Static, type TSchema, Type } from 'typebox';
import { nullable, oneOf } from '../shapes.ts';

/**
 * The frames of a run's stream. The name of an event has two parts: `event` is the part before the first `|`, and the
 * rest is the namespace of a subgraph. There is no closing frame: a stream that ends cleanly is complete, and a stream
 * that breaks off is not.
 */

/** This `Last-Event-ID` asks for all frames, as does a request without one. */
export const fromTheStart = '-1';

/** The heartbeat, a comment. */
export const heartbeat = ': hb\n';

function frame<const Name extends string, Data extends TSchema>(event: Name, data: Data) {
  return Type.Object({ event: Type.Literal(event), data });
}

const record = Type.Record(Type.String(), Type.Unknown());

/** The first frame. It is sent again with a higher attempt when the run continues after a crash of the gateway. */
export const metadataFrame = frame(
  'metadata',
  Type.Object({ run_id: Type.String(), thread_id: Type.String(), attempt: Type.Integer() }),
);

/** The whole state; `__interrupt__` in it shows what the run waits for. */
export const valuesFrame = frame('values', record);

/** The changes that each node made, by the node's name; `__interrupt__` as in `values`. */
export const updatesFrame = frame('updates', record);

const contentBlock = Type.Object({ type: Type.String() }, { additionalProperties: true });

const toolCall = Type.Object({
  name: Type.String(),
  args: Type.Unknown(),
  id: Type.Optional(nullable(Type.String())),
  type: Type.Optional(Type.String()),
});

/** A chat message, or a piece of one. A piece has the id of its message. */
export const streamedMessage = Type.Object(
  {
    type: Type.String({ description: '`human`, `ai`, `tool`, `system`, …' }),
    content: Type.Union([Type.String(), Type.Array(contentBlock)]),
    id: Type.Optional(nullable(Type.String())),
    name: Type.Optional(nullable(Type.String())),
    tool_calls: Type.Optional(Type.Array(toolCall)),
    tool_call_chunks: Type.Optional(Type.Array(record)),
    tool_call_id: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    usage_metadata: Type.Optional(Type.Unknown()),
    response_metadata: Type.Optional(record),
    additional_kwargs: Type.Optional(record),
  },
  { additionalProperties: true },
);
export type StreamedMessage = Static<typeof streamedMessage>;

/** Stream mode `messages-tuple`: a message or a piece of one, and where in the graph it was made. */
export const messagesFrame = frame('messages', Type.Tuple([streamedMessage, record]));

/** Stream mode `messages`: the message so far. */
export const messagesPartialFrame = frame('messages/partial', Type.Array(streamedMessage));
export const messagesCompleteFrame = frame('messages/complete', Type.Array(streamedMessage));
export const messagesMetadataFrame = frame('messages/metadata', Type.Record(Type.String(), record));

function customEvent<const Name extends string, Fields extends Record<string, TSchema>>(
  type: Name,
  fields: Fields,
) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}

/** A task on the pool, submitted by a tool. */
const workerTask = {
  task_id: Type.String({ description: 'Id of the task, as in `/api/tasks/{id}`.' }),
  tool_call_id: Type.String(),
};
/** A sub-agent; its id is that of the tool call which started it. */
const subtask = { task_id: Type.String() };
const error = { error: Type.String() };

export const customEvents = [
  customEvent('worker_task_progress', {
    ...workerTask,
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    node: nullable(Type.String({ description: 'Title of the running node.' })),
    instance: nullable(Type.String({ description: 'Id of the worker.' })),
  }),
  customEvent('worker_task_completed', {
    ...workerTask,
    files: Type.Array(
      Type.Object({
        file_id: Type.String(),
        filename: Type.String(),
        url: Type.String(),
        content_type: Type.String(),
        size: Type.Integer(),
        virtual_path: nullable(
          Type.String({
            description: 'Among the outputs of the thread; null where it could not be put there.',
          }),
        ),
      }),
    ),
  }),
  customEvent('worker_task_failed', {
    ...workerTask,
    error: Type.Object({ code: Type.String(), message: Type.String() }),
  }),
  customEvent('external_task_progress', {
    tool_call_id: Type.String(),
    status: Type.String({
      description: 'As the MCP server names it, such as `working` or `input_required`.',
    }),
    message: nullable(Type.String({ description: 'What the server says of its task.' })),
  }),
  customEvent('task_started', { ...subtask, description: Type.String() }),
  customEvent('task_running', {
    ...subtask,
    message: Type.Unknown(),
    message_index: Type.Integer({ description: 'Counts from 1.' }),
    total_messages: Type.Integer(),
    usage: Type.Optional(
      Type.Object(
        { input_tokens: Type.Integer(), output_tokens: Type.Integer(), total_tokens: Type.Integer() },
        { description: 'Of all answers of the sub-agent so far, where its model reports it.' },
      ),
    ),
  }),
  customEvent('task_completed', { ...subtask, result: Type.Unknown() }),
  customEvent('task_failed', { ...subtask, ...error }),
  customEvent('task_cancelled', { ...subtask, ...error }),
  customEvent('task_timed_out', { ...subtask, ...error }),
  customEvent('llm_retry', {
    attempt: Type.Integer(),
    max_attempts: Type.Integer(),
    wait_ms: Type.Integer(),
    reason: Type.String(),
    message: Type.String(),
  }),
] as const;
export type CustomEvent = Static<(typeof customEvents)[number]>;

/** A value that a graph's writer sent: one of the gateway's events, or any value that a user's own graph writes. */
export const customFrame = frame('custom', Type.Unknown());

/** The run has failed; nothing follows. */
export const errorFrame = frame(
  'error',
  Type.Object({ error: Type.String(), message: Type.String(), name: Type.String() }),
);

/**
 * Frames after `requested_event_id` are no longer kept: the client has to load the stored state again. The stream
 * continues at `earliest_available_event_id`, or breaks off if the reader was too slow.
 */
export const gapFrame = frame(
  'gap',
  Type.Object({
    code: Type.Literal('stream_replay_gap'),
    run_id: Type.String(),
    requested_event_id: Type.String(),
    earliest_available_event_id: Type.String(),
    latest_available_event_id: Type.String(),
    recovery: Type.Literal('reload_durable_state'),
  }),
);

export const runtimeEvents = ['events', 'debug', 'tasks', 'checkpoints', 'tools'] as const;

/** Frames of further stream modes, for readers who know how the runtime works inside. */
export const runtimeFrame = Type.Object({ event: oneOf(runtimeEvents), data: Type.Unknown() });

export const streamFrame = Type.Union([
  metadataFrame,
  valuesFrame,
  updatesFrame,
  messagesFrame,
  messagesPartialFrame,
  messagesCompleteFrame,
  messagesMetadataFrame,
  customFrame,
  errorFrame,
  gapFrame,
  runtimeFrame,
]);
export type StreamFrame = Static<typeof streamFrame>;

/** The name of every frame, for readers that skip what they do not know. */
export const streamEvents = {
  metadata: true,
  values: true,
  updates: true,
  messages: true,
  'messages/partial': true,
  'messages/complete': true,
  'messages/metadata': true,
  custom: true,
  error: true,
  gap: true,
  events: true,
  debug: true,
  tasks: true,
  checkpoints: true,
  tools: true,
} as const satisfies Record<StreamFrame['event'], true>;
