import { type RunCreate, type StreamMode, streamModes } from '@switchyard/contract/conversation/run';
import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { isCallerTag } from '../../../agents/running/model-caller.ts';
import { AppError } from '../../../lib/app-error.ts';
import { withMessageIds } from '../../journal/human-message.ts';

type Json = Record<string, unknown>;

/** A create request as it is stored: checked, merged with its assistant, and without what only the gateway may set. */
export interface RunKwargs {
  input: unknown;
  command: { resume?: unknown; update?: unknown; goto?: unknown } | null;
  checkpoint: { checkpoint_id: string; checkpoint_ns?: string; checkpoint_map?: Json } | null;
  config: { configurable?: Json; tags?: string[]; recursion_limit?: number };
  context: Json;
  /** The user's custom agent that the run works as, once it is known to exist; absent in older rows. */
  agent_name?: string | null;
  metadata: Json;
  interrupt_before: '*' | string[] | null;
  interrupt_after: '*' | string[] | null;
  stream_mode: StreamMode[];
  stream_subgraphs: boolean;
  /** Set for runs that the second protocol has started. */
  names_checkpoints?: boolean;
  /** The user who started the run, as the operator's own authentication described them; for its graph alone. */
  auth_user?: Json;
  /** The span around the run, in the form of W3C Trace Context; absent when nothing was traced. */
  traceparent?: string;
  durability: 'sync' | 'async' | 'exit' | null;
  on_disconnect: 'cancel' | 'continue';
}

export interface RequestRules {
  /** The assistant's settings, which the request overrides. */
  assistant: {
    config: { configurable?: Json; tags?: string[]; recursion_limit?: number };
    context: Json;
  };
  recursionLimit: { standard: number; max: number };
  /** Gives ids to the messages of the input of our own agents. Null passes the input of a user's graph on as it came. */
  newMessageId: (() => string) | null;
}

/** Ids of threads that the body names beside the path: each must belong to the caller. */
export function threadIdsIn({ config, checkpoint }: RunCreate): { path: string[]; id: string }[] {
  const named = [
    { path: ['config', 'configurable', 'thread_id'], id: config?.configurable?.thread_id },
    { path: ['checkpoint', 'thread_id'], id: checkpoint?.thread_id },
  ];
  return named.filter(isText);
}

/** Every known field is either obeyed or refused here; null counts as absent. */
export function kwargsOf(body: RunCreate, rules: RequestRules): RunKwargs {
  refuseUnsupported(body);
  refuseCallerTags(body);
  const { assistant, newMessageId } = rules;
  const input = body.input ?? null;
  const given = body.config ?? {};
  return {
    input: newMessageId ? withMessageIds(input, newMessageId) : input,
    command: body.command ?? null,
    checkpoint: checkpointOf(body),
    config: {
      configurable: { ...assistant.config.configurable, ...withoutReserved(given.configurable ?? {}) },
      tags: [...new Set([...(assistant.config.tags ?? []), ...(given.tags ?? [])])],
      recursion_limit: recursionLimitOf(body, rules),
    },
    context: withoutReserved({ ...assistant.context, ...given.context, ...body.context }),
    metadata: body.metadata ?? {},
    interrupt_before: body.interrupt_before ?? null,
    interrupt_after: body.interrupt_after ?? null,
    stream_mode: streamModesOf(body.stream_mode),
    stream_subgraphs: body.stream_subgraphs ?? false,
    durability: body.durability ?? (body.checkpoint_during === false ? 'exit' : null),
    on_disconnect: body.on_disconnect ?? 'continue',
  };
}

/** A run without input goes on with the tasks of its state, so the title comes as an update beside it. */
export function withTitle(kwargs: RunKwargs, title: string): RunKwargs {
  const { command, input } = kwargs;
  if (command === null && isRecord(input)) return { ...kwargs, input: { ...input, title } };
  const update = command?.update ?? {};
  return isRecord(update) ? { ...kwargs, command: { ...command, update: { ...update, title } } } : kwargs;
}

/** The modes that the gateway knows; `values` when none is left. */
export function streamModesOf(named: string | readonly string[] | null | undefined): StreamMode[] {
  const wanted = new Set([named ?? []].flat());
  const known = streamModes.filter((mode) => wanted.has(mode));
  return known.length > 0 ? known : ['values'];
}

export function onCompletionOf({ on_completion }: RunCreate): 'delete' | 'keep' | null {
  switch (on_completion) {
    case 'delete':
    case 'complete':
      return 'delete';
    case 'keep':
    case 'continue':
      return 'keep';
    default:
      return null;
  }
}

export function unsupported(field: string, input: unknown): AppError {
  return refusal({
    path: [field],
    type: 'unsupported_run_option',
    message: `Run option '${field}' is not supported here`,
    input,
  });
}

export function refusal(fault: Omit<Fault, 'in'>): AppError {
  return new AppError('validation_failed', { faults: [{ in: 'body', ...fault }] });
}

function refuseUnsupported({ feedback_keys, langsmith_tracer }: RunCreate): void {
  if (feedback_keys && feedback_keys.length > 0) throw unsupported('feedback_keys', feedback_keys);
  if (langsmith_tracer) throw unsupported('langsmith_tracer', null);
}

/** Otherwise answers and tokens would be counted for another caller. */
function refuseCallerTags({ config }: RunCreate): void {
  const tags = config?.tags ?? [];
  const index = tags.findIndex(isCallerTag);
  if (index === -1) return;
  throw refusal({
    path: ['config', 'tags', index],
    type: 'value_error',
    message: 'Value error, lead_agent, subagent:… and middleware:… are tags of the gateway itself',
    input: tags[index],
  });
}

function recursionLimitOf({ config }: RunCreate, { assistant, recursionLimit }: RequestRules): number {
  const asked = config?.recursion_limit;
  if (asked && asked > recursionLimit.max) {
    throw refusal({
      path: ['config', 'recursion_limit'],
      type: 'less_than_equal',
      message: `Input should be less than or equal to ${recursionLimit.max}`,
      input: asked,
      ctx: { le: recursionLimit.max },
    });
  }
  return asked ?? assistant.config.recursion_limit ?? recursionLimit.standard;
}

/** When several places name a checkpoint, the most explicit one counts. */
function checkpointOf({ checkpoint, checkpoint_id, config }: RunCreate): RunKwargs['checkpoint'] {
  const { configurable } = config ?? {};
  const id = checkpoint?.checkpoint_id ?? checkpoint_id ?? textOf(configurable?.checkpoint_id);
  if (!id) return null;
  const namespace = checkpoint?.checkpoint_ns ?? textOf(configurable?.checkpoint_ns);
  const map = checkpoint?.checkpoint_map;
  return {
    checkpoint_id: id,
    ...(namespace && { checkpoint_ns: namespace }),
    ...(map && { checkpoint_map: map }),
  };
}

const reserved = new Set([
  'thread_id',
  'run_id',
  'user_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
]);

/** The gateway decides who runs and where, and sets the fields that the runtime reserves. */
function withoutReserved(values: Json): Json {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key]) => !(reserved.has(key) || key.startsWith('__') || key.startsWith('langgraph_auth')),
    ),
  );
}

function isText(named: { path: string[]; id: unknown }): named is { path: string[]; id: string } {
  return typeof named.id === 'string' && named.id !== '';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
