import type {
  FoundThread,
  HistoryEntry,
  Thread,
  ThreadField,
  ThreadState,
} from '@switchyard/contract/conversation/thread';
import type { StateView } from '../../agents/run-contract/agent-run.ts';
import type { WireState } from '../../agents/state/wire-state.ts';
import type { MountRules } from '../mount-rules.ts';
import type { ThreadRow } from '../tables.ts';
import { titleInState, withThreadTitle } from './thread.ts';
import { publicMetadata } from './thread-metadata.ts';

type Json = Record<string, unknown>;

/** The latest state as far as it is known, with the names that the wire uses. */
export interface ShownState {
  values: Json;
  interrupts: StateView['interrupts'];
  error: string | null;
}

export const noState: ShownState = { values: {}, interrupts: {}, error: null };

export function shownSnapshot(snapshot: {
  values?: string | undefined;
  interrupts: string | null;
  error: string | null;
}): ShownState {
  const { values, interrupts, error } = snapshot;
  return {
    values: values ? (JSON.parse(values) as Json) : {},
    interrupts: interrupts ? (JSON.parse(interrupts) as ShownState['interrupts']) : {},
    error,
  };
}

export function threadView(thread: ThreadRow, { values, interrupts, error }: ShownState): Thread {
  return {
    thread_id: thread.thread_id,
    status: thread.status,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    state_updated_at: thread.state_updated_at,
    run_ended_at: thread.run_ended_at,
    unread: thread.unread === 1,
    assistant_id: thread.assistant_id,
    title: thread.display_name,
    metadata: publicMetadata(thread.metadata),
    values: withThreadTitle(thread, values),
    interrupts,
    error: thread.status === 'error' ? error : null,
  };
}

/** For a thread that only the agent runtime knows. */
export function threadWithoutRecord(
  threadId: string,
  { state, view, now }: { state: WireState; view: StateView; now: string },
): Thread {
  const at = state.created_at ?? now;
  const { step: _step, ...metadata } = withoutRuntimeKeys(state.metadata);
  return {
    thread_id: threadId,
    status: view.next.length > 0 ? 'interrupted' : 'idle',
    created_at: at,
    updated_at: at,
    state_updated_at: at,
    run_ended_at: null,
    unread: false,
    assistant_id: null,
    title: titleInState(view.values) ?? null,
    metadata: publicMetadata(JSON.stringify(metadata)),
    values: view.values,
    interrupts: view.interrupts,
    error: null,
  };
}

/** The values of a thread in lists and in answers to a change. */
export function listedValues(thread: ThreadRow, values: Json, { searchValues }: MountRules): Json {
  if (searchValues === 'snapshot') return values;
  return thread.display_name === null ? {} : { title: thread.display_name };
}

/** Only the requested fields. */
export function selected(view: FoundThread, fields: readonly ThreadField[] | null): FoundThread {
  if (!fields) return view;
  const shown = Object.fromEntries(fields.map((field) => [field, view[field]])) as FoundThread;
  return { ...shown, ...(view.extracted && { extracted: view.extracted }) };
}

export function stateView({ checkpoint, parent_checkpoint, ...state }: WireState): ThreadState {
  const { created_at } = state;
  return {
    ...state,
    checkpoint: checkpoint && { ...checkpoint, id: checkpoint.checkpoint_id, ts: created_at },
    parent_checkpoint: parent_checkpoint && { ...parent_checkpoint },
    checkpoint_id: checkpoint?.checkpoint_id ?? null,
    parent_checkpoint_id: parent_checkpoint?.checkpoint_id ?? null,
  } as ThreadState;
}

/** A past state in the form of the mount; `isNewest` says whether it is the thread's current state. */
export function historyEntry(
  state: WireState,
  { rules, isNewest }: { rules: MountRules; isNewest: boolean },
): HistoryEntry {
  const { checkpoint: _checkpoint, parent_checkpoint: _parent, ...view } = stateView(state);
  if (rules.historyMetadata === 'public') view.metadata = withoutRuntimeKeys(view.metadata);
  if (rules.historyMessages === 'newest' && !isNewest) {
    const { messages: _messages, ...values } = view.values;
    view.values = values;
  }
  if (rules.historyCheckpoints === 'ids') return view;
  const { checkpoint, parent_checkpoint } = state;
  return { ...view, checkpoint, parent_checkpoint } as HistoryEntry;
}

/** The agent runtime's internal fields, which mean nothing to people. */
const runtimeKeys = new Set(['source', 'writes', 'parents', 'created_at', 'updated_at']);
const runtimePrefixes = ['__', 'langgraph_auth', 'checkpoint_'];

function withoutRuntimeKeys(metadata: Json): Json {
  const entries = Object.entries(metadata).filter(
    ([key]) => !runtimeKeys.has(key) && !runtimePrefixes.some((prefix) => key.startsWith(prefix)),
  );
  return Object.fromEntries(entries);
}
