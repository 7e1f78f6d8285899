import { type Static, Type } from 'typebox';
import { isoTime, nullable, oneOf } from '../shapes.ts';

export const runStatuses = ['pending', 'running', 'success', 'error', 'timeout', 'interrupted'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The ways to treat a new run while the thread has another one. */
export const multitaskStrategies = ['reject', 'enqueue', 'interrupt', 'rollback'] as const;
export type MultitaskStrategy = (typeof multitaskStrategies)[number];

export const cancelActions = ['interrupt', 'rollback'] as const;
export type CancelAction = (typeof cancelActions)[number];

/** The stream modes that the gateway offers. Other modes are ignored, because a client can be newer than the server. */
export const streamModes = [
  'values',
  'messages',
  'messages-tuple',
  'updates',
  'custom',
  'events',
  'debug',
  'tasks',
  'checkpoints',
  'tools',
] as const;
export type StreamMode = (typeof streamModes)[number];

export const maxRecursionLimit = 10_000;
/** A month. A run that should start later than that needs a schedule. */
export const maxAfterSeconds = 30 * 24 * 60 * 60;

const record = Type.Record(Type.String(), Type.Unknown());
const word = Type.String({ maxLength: 256 });
const flag = nullable(Type.Boolean());
const nodes = Type.Union([Type.Literal('*'), Type.Array(word, { maxItems: 1_000 }), Type.Null()], {
  description: 'Names of nodes, or `*` for all.',
});

export const runConfig = Type.Object({
  configurable: Type.Optional(nullable(record)),
  context: Type.Optional(nullable(record)),
  tags: Type.Optional(nullable(Type.Array(word, { maxItems: 100 }))),
  recursion_limit: Type.Optional(
    nullable(
      Type.Integer({ minimum: 1, maximum: maxRecursionLimit, description: 'Steps before a run fails.' }),
    ),
  ),
});

export const runCommand = Type.Object({
  resume: Type.Optional(Type.Unknown({ description: 'The answer to an interrupt, or `{ id: answer }`.' })),
  update: Type.Optional(Type.Unknown({ description: 'Changes of the state, by channel.' })),
  goto: Type.Optional(
    Type.Unknown({ description: 'The next node or nodes: a name, `{ node, input }`, or a list of these.' }),
  ),
});

export const checkpointRef = Type.Object({
  thread_id: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
  checkpoint_id: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
  checkpoint_ns: Type.Optional(nullable(Type.String({ maxLength: 4_096 }))),
  checkpoint_map: Type.Optional(nullable(record)),
});

/**
 * Every field may be null, which means the same as absent. A field that the gateway does not offer is refused, not
 * dropped.
 */
export const runCreate = Type.Object({
  assistant_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'Name of a graph, id of an assistant, or name of a custom agent. When absent: that of the last run of the thread, and `lead_agent` in a new one.',
      }),
    ),
  ),
  input: Type.Optional(Type.Unknown({ description: 'For example `{ messages: [{ role, content }] }`.' })),
  command: Type.Optional(
    Type.Union([runCommand, Type.Null()], { description: 'Wins over `input`: answers an interrupt.' }),
  ),
  metadata: Type.Optional(nullable(record)),
  config: Type.Optional(Type.Union([runConfig, Type.Null()])),
  context: Type.Optional(
    nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'For the graph. `lead_agent` knows model_name, thinking_enabled, reasoning_effort, is_plan_mode, subagent_enabled, max_concurrent_subagents, agent_name and is_bootstrap.',
      }),
    ),
  ),
  checkpoint: Type.Optional(
    Type.Union([checkpointRef, Type.Null()], { description: 'The state to go on from; a fork.' }),
  ),
  checkpoint_id: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
  interrupt_before: Type.Optional(nodes),
  interrupt_after: Type.Optional(nodes),
  stream_mode: Type.Optional(
    Type.Union([word, Type.Array(word, { maxItems: 50 }), Type.Null()], {
      description: `One or several of ${streamModes.join(', ')}; \`values\` when absent. Unknown ones are ignored.`,
    }),
  ),
  stream_subgraphs: Type.Optional(flag),
  stream_resumable: Type.Optional(
    Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'Every stream can be resumed.' }),
  ),
  multitask_strategy: Type.Optional(
    Type.Union([oneOf(multitaskStrategies), Type.Null()], { description: '`enqueue` when absent.' }),
  ),
  on_disconnect: Type.Optional(
    Type.Union([oneOf(['cancel', 'continue']), Type.Null()], {
      description:
        'What becomes of the run when the connection that created it goes. `continue` when absent.',
    }),
  ),
  on_completion: Type.Optional(
    Type.Union([oneOf(['delete', 'keep', 'complete', 'continue']), Type.Null()], {
      description:
        'What becomes of the thread of a run that was created without one. `complete` means `delete`, `continue` means `keep`.',
    }),
  ),
  if_not_exists: Type.Optional(
    Type.Union([oneOf(['create', 'reject']), Type.Null()], {
      description: 'Whether a thread that does not exist is made. `reject` when absent.',
    }),
  ),
  after_seconds: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: maxAfterSeconds }))),
  durability: Type.Optional(Type.Union([oneOf(['sync', 'async', 'exit']), Type.Null()])),
  checkpoint_during: Type.Optional(
    Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'False: as `durability: exit`.' }),
  ),
  webhook: Type.Optional(nullable(Type.String({ maxLength: 2_048 }))),
  feedback_keys: Type.Optional(nullable(Type.Array(word, { maxItems: 100 }))),
  langsmith_tracer: Type.Optional(nullable(record)),
  follow_up_to_run_id: Type.Optional(
    nullable(
      Type.String({
        maxLength: 64,
        description: 'A run of this thread. The latest that succeeded when absent.',
      }),
    ),
  ),
});
export type RunCreate = Static<typeof runCreate>;

const counter = Type.Integer({ minimum: 0 });

export const modelUsage = Type.Object({
  tokens: counter,
  input_tokens: counter,
  output_tokens: counter,
  cache_read_tokens: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Of the input; absent where no call reports any.' }),
  ),
  calls: counter,
});

export const run = Type.Object({
  run_id: Type.String(),
  thread_id: Type.String(),
  assistant_id: Type.String({ description: 'As the caller named it.' }),
  graph_id: Type.String(),
  status: oneOf(runStatuses),
  metadata: record,
  kwargs: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What was asked for, without secrets. Lists carry it where `select` names it.',
    }),
  ),
  multitask_strategy: oneOf(multitaskStrategies),
  attempt: Type.Integer({ description: 'Above 1: it went on after a crash or restart of the gateway.' }),
  follow_up_to_run_id: nullable(Type.String()),
  model_name: nullable(Type.String()),
  error: nullable(Type.String()),
  stop_reason: nullable(Type.String()),
  message_count: counter,
  first_human_message: nullable(Type.String()),
  last_ai_message: nullable(Type.String()),
  llm_call_count: counter,
  context_tokens: nullable(
    Type.Integer({
      minimum: 0,
      description: 'What the last call of the lead agent has read and written: how full its window was.',
    }),
  ),
  total_input_tokens: counter,
  total_output_tokens: counter,
  total_tokens: counter,
  lead_agent_tokens: counter,
  subagent_tokens: counter,
  middleware_tokens: counter,
  unknown_tokens: counter,
  token_usage_by_model: Type.Record(Type.String(), modelUsage),
  created_at: isoTime,
  updated_at: isoTime,
  run_at: nullable(Type.String({ description: 'It does not begin before; from `after_seconds`.' })),
  started_at: nullable(Type.String()),
  ended_at: nullable(Type.String()),
});
export type Run = Static<typeof run>;
