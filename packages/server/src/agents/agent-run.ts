import type { Step } from '../platform/database/procedure.ts';
import type { RunRecord } from './run-record.ts';

/** What an agent is asked to do: the checked request together with what the server has decided. Everything is JSON. */
export interface AgentRunRequest {
  runId: string;
  threadId: string;
  userId: string;
  /** What the caller named; a graph's name is its system assistant. */
  assistantId: string;
  graphId: string;
  /** The custom agent of the user that the lead agent works as; null for itself. */
  agentName: string | null;
  /** Counts from one; above it the run goes on from its last checkpoint and `input` is not given again. */
  attempt: number;
  input: unknown;
  /** Wins over `input`. */
  command: { resume?: unknown; update?: unknown; goto?: unknown } | null;
  /** The state to go on from, where it is not the newest. */
  checkpoint: {
    checkpoint_id?: string;
    checkpoint_ns?: string;
    checkpoint_map?: Record<string, unknown>;
  } | null;
  /** Merged from assistant and request; `thread_id`, `run_id`, `user_id` and reserved keys are not in it. */
  config: { configurable?: Record<string, unknown>; tags?: string[]; recursion_limit?: number };
  context: Record<string, unknown>;
  metadata: Record<string, unknown>;
  interruptBefore: '*' | string[] | null;
  interruptAfter: '*' | string[] | null;
  /** As the client sent them, unknown ones left out; never empty. */
  streamModes: string[];
  streamSubgraphs: boolean;
  durability: 'sync' | 'async' | 'exit' | null;
}

/** The state of a thread after a run or an update, ready for the wire and for the snapshot row. */
export interface StateView {
  values: Record<string, unknown>;
  next: string[];
  /** By task id, as threads show them. */
  interrupts: Record<string, { id?: string; value: unknown }[]>;
  checkpointId: string | null;
}

export interface AgentRunTools {
  /** Aborts with a `RunStop` as its reason when the run is to end early. */
  signal: AbortSignal;
  /** Takes the run's events; the checkpointer commits them with the checkpoints that cover them. */
  recorder: RunRecord;
  /**
   * One frame for the stream: its wire name (`values`, `messages|ns`, …) and its data: JSON, or a `JsonText` of it. All that the
   * graph makes; `metadata` and `error` are the caller's.
   */
  frame: (event: string, data: unknown) => void;
}

export type AgentRunEnd =
  /**
   * Also when it waits for a human: then `state.next` is not empty. `rest` are parts of the unit that ends the run: what of
   * its saved state is not on disk yet. `stopReason` where the agent was made to end early.
   */
  | { outcome: 'done'; state: StateView; rest: Step[]; stopReason?: string }
  | { outcome: 'failed'; error: { name: string; message: string }; state: StateView | null };

/**
 * Runs a graph and says how it ended. What the graph throws is an end. Thrown are the reason of an aborted signal, and what
 * keeps the run from being stored. In any case nothing more is stored of the run's checkpoints when this has answered.
 */
export interface AgentRunner {
  run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd>;
}
