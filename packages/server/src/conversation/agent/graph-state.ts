import type { StateView } from './agent-run.ts';
import type { Json } from './wire-values.ts';

/** Whose state is meant. With no graph, as for a thread made elsewhere, its checkpoints alone are read. */
export interface StatefulThread {
  threadId: string;
  graphId: string | null;
  userId: string;
}

export interface CheckpointRef {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  checkpoint_map: Record<string, unknown> | null;
}

/** As clients name a checkpoint; the newest one of the namespace where no id is given. */
export interface WantedCheckpoint {
  checkpoint_id?: string | null | undefined;
  checkpoint_ns?: string | null | undefined;
  checkpoint_map?: Record<string, unknown> | null | undefined;
}

export interface WireInterrupt {
  id?: string;
  value: Json;
}

export interface WireTask {
  id: string;
  name: string;
  path: Json;
  error: Json;
  interrupts: WireInterrupt[];
  checkpoint: CheckpointRef | null;
  state: WireState | null;
  result: Json;
}

export interface WireState {
  values: Record<string, Json>;
  next: string[];
  tasks: WireTask[];
  metadata: Record<string, Json>;
  created_at: string | null;
  checkpoint: CheckpointRef | null;
  parent_checkpoint: CheckpointRef | null;
}

export interface StateUpdate {
  values: unknown;
  /** With it, what a run would make of the node's answer; without it LangGraph finds out whose update it can be. */
  asNode?: string | undefined;
}

export interface HistoryQuery {
  limit: number;
  /** Exclusive. */
  before?: string | undefined;
  /** What entries must hold at the top level of their metadata. */
  metadata?: Record<string, unknown> | undefined;
  checkpoint?: WantedCheckpoint | undefined;
}

/** The saved states of threads. Knows no owners: whoever asks has checked whose the thread is. */
export declare class GraphStates {
  /** A thread that has never run has an empty state without a checkpoint; null where the checkpoint asked for is none. */
  current(
    thread: StatefulThread,
    options?: { checkpoint?: WantedCheckpoint | undefined; subgraphs?: boolean | undefined },
  ): Promise<WireState | null>;
  /** The newest first. */
  history(thread: StatefulThread, query: HistoryQuery): Promise<WireState[]>;
  /** Through the graph's reducers, into a new checkpoint. Throws 422 for channels that the graph does not have. */
  update(
    thread: StatefulThread,
    update: StateUpdate,
    checkpoint?: WantedCheckpoint | undefined,
  ): Promise<CheckpointRef>;
  /** Each superstep makes a checkpoint. */
  bulkUpdate(thread: StatefulThread, supersteps: StateUpdate[][]): Promise<CheckpointRef>;
  copy(fromThreadId: string, toThreadId: string): Promise<void>;
  delete(threadId: string): Promise<void>;
  /** Answers how many checkpoints were removed. */
  prune(threadId: string, policy: { keepLatest: number }): Promise<number>;
  /** Brings the thread back to where it stood before the run. */
  rollback(threadId: string, runId: string): Promise<void>;
}

/** What the snapshot row keeps of a state. */
export function viewOf({ values, next, tasks, checkpoint }: WireState): StateView {
  const interrupts = Object.fromEntries(
    tasks.filter((task) => task.interrupts.length > 0).map((task) => [task.id, task.interrupts]),
  );
  return { values, next, interrupts, checkpointId: checkpoint?.checkpoint_id ?? null };
}
