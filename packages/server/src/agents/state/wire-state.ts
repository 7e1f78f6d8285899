import type { Json } from '../../lib/json.ts';
import type { StateView } from '../run-contract/agent-run.ts';
import { type SharedJson, wireError, wireValue, wireValues } from './wire-values.ts';

export interface CheckpointRef {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  checkpoint_map: Record<string, Json> | null;
}

export interface WireInterrupt {
  id?: string;
  value: Json;
}

export interface WireTask {
  id: string;
  name: string;
  path: Json;
  /** Text, because clients show it. */
  error: string | null;
  interrupts: WireInterrupt[];
  /** The newest checkpoint of the subgraph that the task runs, or only where its checkpoints are. `state` stands in place of it. */
  checkpoint: CheckpointRef | Pick<CheckpointRef, 'thread_id' | 'checkpoint_ns'> | null;
  state: WireState | null;
  result: Json;
}

/** A saved state in the form that LangGraph's clients read. */
export interface WireState {
  values: Record<string, Json>;
  next: string[];
  tasks: WireTask[];
  metadata: Record<string, Json>;
  created_at: string | null;
  checkpoint: CheckpointRef | null;
  parent_checkpoint: CheckpointRef | null;
}

/** The parts of LangGraph's own snapshots that are used here. */
export interface Snapshot {
  values: unknown;
  next: string[];
  tasks: SnapshotTask[];
  metadata?: object | undefined;
  config: object;
  createdAt?: string | undefined;
  parentConfig?: object | undefined;
}

interface SnapshotTask {
  id: string;
  name: string;
  path?: unknown;
  error?: unknown;
  interrupts: unknown[];
  state?: unknown;
  result?: unknown;
}

/** The state of a thread that has never run. */
export const emptyState: WireState = {
  values: {},
  next: [],
  tasks: [],
  metadata: {},
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
};

/** With `shared`, a value that several states of one history hold is one object in all of them. */
export function wireState(
  { values, next, tasks, metadata, ...snapshot }: Snapshot,
  shared?: SharedJson,
): WireState {
  return {
    values: stateValues(values, shared),
    next: nextNodes(next, tasks),
    tasks: tasks.map(wireTask),
    metadata: wireMetadata(metadata ?? {}),
    created_at: snapshot.createdAt ?? null,
    checkpoint: checkpointRef(snapshot.config),
    parent_checkpoint: checkpointRef(snapshot.parentConfig),
  };
}

/** LangGraph counts a task as finished when it was interrupted again after an answer. It still waits, so it comes next. */
function nextNodes(next: string[], tasks: SnapshotTask[]): string[] {
  const waiting = tasks.filter(({ interrupts }) => interrupts.length > 0).map(({ name }) => name);
  return [...next, ...new Set(waiting.filter((name) => !next.includes(name)))];
}

/** Wraps a state that is not a record, such as that of a single function, because clients look keys up in it. */
export function stateValues(values: unknown, shared?: SharedJson): Record<string, Json> {
  if (typeof values === 'object' && values !== null && !Array.isArray(values))
    return wireValues(values, shared);
  return values === undefined || values === null ? {} : { output: wireValue(values) };
}

/** Returns what the snapshot row keeps of a state. */
export function viewOf({ values, next, tasks, checkpoint }: WireState): StateView {
  const interrupts = Object.fromEntries(
    tasks.filter((task) => task.interrupts.length > 0).map((task) => [task.id, task.interrupts]),
  );
  return { values, next, interrupts, checkpointId: checkpoint?.checkpoint_id ?? null };
}

/** Reads the reference from a config; returns null when it names no checkpoint. */
export function checkpointRef(config: unknown): CheckpointRef | null {
  const configurable = configurableIn(config);
  const { thread_id, checkpoint_ns, checkpoint_id, checkpoint_map } = configurable ?? {};
  if (typeof thread_id !== 'string' || typeof checkpoint_id !== 'string') return null;
  return {
    thread_id,
    checkpoint_ns: typeof checkpoint_ns === 'string' ? checkpoint_ns : '',
    checkpoint_id,
    checkpoint_map: (wireValue(checkpoint_map) as CheckpointRef['checkpoint_map']) ?? null,
  };
}

/** Leaves out what only the runtime needs. LangGraph before 1.2 copies texts of `configurable` here, those about the caller too. */
export function wireMetadata(metadata: object): Record<string, Json> {
  const entries = Object.entries(metadata).filter(([key]) => !isInternal(key));
  return wireValue(Object.fromEntries(entries)) as Record<string, Json>;
}

function isInternal(key: string): boolean {
  return key.startsWith('__') || key.startsWith('langgraph_auth_') || internalKeys.has(key);
}

const internalKeys: ReadonlySet<string> = new Set(['counters_since_delta_snapshot', 'ls_integration']);

export function wireTask({ id, name, path, error, interrupts, state, result }: SnapshotTask): WireTask {
  const inner = isSnapshot(state) ? wireState(state) : null;
  return {
    id,
    name,
    path: wireValue(path),
    error: errorText(error),
    interrupts: interrupts.map((interrupt) => wireValue(interrupt) as unknown as WireInterrupt),
    checkpoint: inner ? null : taskCheckpoint(state),
    state: inner,
    result: wireValue(result),
  };
}

function errorText(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  if (typeof error === 'string') return error;
  const { name, message } = wireError(error);
  return `${name}: ${message}`;
}

function isSnapshot(state: unknown): state is Snapshot {
  return typeof state === 'object' && state !== null && 'values' in state && 'tasks' in state;
}

function taskCheckpoint(config: unknown): WireTask['checkpoint'] {
  const { thread_id, checkpoint_ns } = configurableIn(config) ?? {};
  if (typeof thread_id !== 'string' || typeof checkpoint_ns !== 'string') return null;
  return checkpointRef(config) ?? { thread_id, checkpoint_ns };
}

function configurableIn(config: unknown): Record<string, unknown> | undefined {
  if (typeof config !== 'object' || config === null || !('configurable' in config)) return undefined;
  return config.configurable as Record<string, unknown> | undefined;
}
