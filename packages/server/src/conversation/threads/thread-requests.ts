import type { ThreadField, WantedCheckpoint } from '@switchyard/contract/conversation/thread';
import { threadFields } from '@switchyard/contract/conversation/thread';
import type {
  HistoryBody,
  NewThreadBody,
  StatePatchBody,
  ThreadFilterBody,
  ThreadSearchBody,
} from '@switchyard/contract/conversation/thread-inputs';
import type { StateUpdate } from '../../agents/state/state-update.ts';
import { AppError } from '../../lib/app-error.ts';
import type { ThreadTtl } from '../expiry/thread-ttl-store.ts';
import type { MountRules } from '../mount-rules.ts';
import { parsePath } from './extract-paths.ts';
import { type Condition, metadataParts, type ThreadFilter, type ThreadOrder } from './thread-filter.ts';
import type { ThreadListRequest } from './thread-lists.ts';
import { maxFilterValueBytes } from './thread-metadata.ts';
import type { HistoryRequest, StateChange } from './thread-states.ts';
import type { ThreadRequest } from './threads.ts';

/** Translates request bodies. The schemas have checked their shape; this checks what a schema cannot express. */

export function threadRequest(body: NewThreadBody): ThreadRequest {
  return {
    threadId: body.thread_id ?? null,
    assistantId: body.assistant_id ?? null,
    metadata: body.metadata ?? {},
    ifExists: body.if_exists ?? null,
    ttl: threadTtl(body.ttl),
    supersteps: (body.supersteps ?? []).map(({ updates }) => updates.map(stateUpdate)),
  };
}

/** A number stands for minutes after which the thread goes. */
export function threadTtl(given: NewThreadBody['ttl']): ThreadTtl | null {
  if (given === undefined || given === null) return null;
  const { ttl, strategy = 'delete' } = typeof given === 'number' ? { ttl: given } : given;
  return { seconds: Math.ceil(ttl * 60), strategy: strategy ?? 'delete' };
}

export function threadFilter({
  metadata,
  values,
  status,
  ids,
  q,
}: ThreadFilterBody & Pick<ThreadSearchBody, 'q'>): ThreadFilter {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  const wanted = Object.entries(metadata ?? {});
  const parts = wanted.flatMap(([key, value]) => (isObject(value) ? metadataParts(key, value) : []));
  const plain = wanted.filter(([, value]) => !isObject(value));
  const conditions = plain.map(([key, value]): Condition => {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > maxFilterValueBytes)
      throw invalid(['metadata', key], `a value to search for has at most ${maxFilterValueBytes} bytes`);
    return { kind: 'metadata', key, value: text };
  });
  if (status) conditions.push({ kind: 'status', status });
  const state = Object.entries(values ?? {}).map(([key, value]) => ({ key, value }));
  return { conditions, parts, values: state, ids: ids ?? null, title: q ?? null };
}

export function threadListRequest(body: ThreadSearchBody, rules: MountRules): ThreadListRequest {
  return {
    filter: threadFilter(body),
    order: threadOrder(body, rules),
    limit: body.limit ?? rules.searchLimit,
    offset: body.offset ?? 0,
    select: body.select ? body.select.filter(isThreadField) : null,
    extract: Object.entries(body.extract ?? {}).map(([alias, path]) => parsePath(alias, path)),
    rules,
  };
}

/** Pinned threads come first in the order that lists of conversations have: the last changed first. */
function threadOrder(
  { sort_by, sort_order, pinned_first }: ThreadSearchBody,
  rules: MountRules,
): ThreadOrder {
  const order = { sortBy: sort_by ?? 'updated_at', order: sort_order ?? 'desc' } as const;
  const isByTime = order.sortBy === 'updated_at' && order.order === 'desc';
  if (pinned_first && !isByTime)
    throw invalid(['pinned_first'], 'pinned threads come first only by updated_at, descending');
  return isByTime && (pinned_first ?? rules.pinnedFirst) ? { sortBy: 'pinned', order: 'desc' } : order;
}

export function stateChange({ values, as_node, checkpoint, checkpoint_id }: StatePatchBody): StateChange {
  const wanted: WantedCheckpoint = { ...checkpoint, ...(checkpoint_id && { checkpoint_id }) };
  return {
    values,
    asNode: as_node ?? undefined,
    checkpoint: namesCheckpoint(wanted) ? withoutThread(wanted) : undefined,
  };
}

export function historyRequest({ limit = 10, before, metadata, checkpoint }: HistoryBody): HistoryRequest {
  return {
    limit,
    before: before ? beforeId(before) : undefined,
    metadata: metadata ?? undefined,
    checkpoint: checkpoint ? withoutThread(checkpoint) : undefined,
  };
}

/** The thread is always the one in the path, whatever the body says. */
export function withoutThread({
  checkpoint_id,
  checkpoint_ns,
  checkpoint_map,
}: WantedCheckpoint): WantedCheckpoint {
  return { checkpoint_id, checkpoint_ns, checkpoint_map } as WantedCheckpoint;
}

function stateUpdate({
  values,
  command,
  as_node,
}: NonNullable<NewThreadBody['supersteps']>[number]['updates'][number]): StateUpdate {
  const startsNodes = command?.goto !== undefined && command.goto !== null;
  return {
    values: command ? command.update : values,
    ...(command && startsNodes && { command: { update: command.update, goto: command.goto } }),
    ...(as_node && { asNode: as_node }),
  };
}

function namesCheckpoint({ checkpoint_id, checkpoint_ns, checkpoint_map }: WantedCheckpoint): boolean {
  return Boolean(checkpoint_id || checkpoint_ns || checkpoint_map);
}

/** An id, a checkpoint, or a config that holds one. */
function beforeId(before: string | Record<string, unknown>): string {
  const named = typeof before === 'string' ? { checkpoint_id: before } : (before.configurable ?? before);
  const { checkpoint_id } = named as { checkpoint_id?: unknown };
  if (typeof checkpoint_id === 'string' && checkpoint_id !== '') return checkpoint_id;
  throw invalid(['before'], 'name a checkpoint: its id, or an object with checkpoint_id');
}

function isThreadField(field: string): field is ThreadField {
  return (threadFields as readonly string[]).includes(field);
}

function invalid(path: string[], text: string): AppError {
  return new AppError('validation_failed', {
    faults: [{ in: 'body', path, type: 'value_error', message: `Value error, ${text}` }],
  });
}
