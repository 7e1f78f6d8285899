import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { ReportedUsage, RunRecord } from './run-record.ts';

/** A run as the agent gets it: the checked request together with what the server has decided. Everything is JSON. */
export interface AgentRunRequest {
  runId: string;
  threadId: string;
  userId: string;
  /** The user as the operator's own authentication described them; absent for users with a credential of the gateway. */
  authUser?: Record<string, unknown> | null;
  /** As the caller gave it. The name of a graph stands for its system assistant. */
  assistantId: string;
  graphId: string;
  /** The user's custom agent that the lead agent works as; null when it works as itself. */
  agentName: string | null;
  /** Counts from one. From the second attempt on the run continues from its last checkpoint, and `input` is not given again. */
  attempt: number;
  input: unknown;
  /** Takes precedence over `input`. */
  command: { resume?: unknown; update?: unknown; goto?: unknown } | null;
  /** The state to continue from; null for the newest one. */
  checkpoint: {
    checkpoint_id?: string;
    checkpoint_ns?: string;
    checkpoint_map?: Record<string, unknown>;
  } | null;
  /** Merged from assistant and request, without `thread_id`, `run_id`, `user_id` and reserved keys. */
  config: { configurable?: Record<string, unknown>; tags?: string[]; recursion_limit?: number };
  context: Record<string, unknown>;
  metadata: Record<string, unknown>;
  interruptBefore: '*' | string[] | null;
  interruptAfter: '*' | string[] | null;
  /** As the client sent them, without unknown ones; never empty. */
  streamModes: string[];
  streamSubgraphs: boolean;
  /**
   * A command of the second protocol started the run. A frame `checkpoint` with id, parent, step and source comes before each frame
   * `values`, events of tools name their task, and the graph's own stream transformers work.
   */
  isSecondProtocol: boolean;
  durability: 'sync' | 'async' | 'exit' | null;
  /** For the servers that the run calls; absent when nothing is traced. */
  traceparent?: string;
}

/** The state of a thread after a run or an update, in the form that clients and the snapshot row get. */
export interface StateView {
  values: Record<string, unknown>;
  next: string[];
  /** By task id, as threads show them. */
  interrupts: Record<string, { id?: string; value: unknown }[]>;
  checkpointId: string | null;
}

/** A call of a model that is over. */
export interface FinishedCall {
  /** The configured name of the model, or the one that own code has chosen. */
  model: string | null;
  outcome: 'ok' | 'error' | 'stopped';
  tookMs: number;
  usage: ReportedUsage | null;
}

/** Takes facts about a run for the metrics. */
export interface RunMeter {
  /** The model has begun to stream an answer. A run may have several. */
  answerBegins: () => void;
  modelCall: (call: FinishedCall) => void;
}

export interface AgentRunTools {
  /** Aborts with a `RunStop` as its reason when the run has to end early. */
  signal: AbortSignal;
  /** Takes the run's events; the checkpointer commits them with the checkpoints that cover them. */
  recorder: RunRecord;
  /**
   * Takes one frame of the stream: its wire name (`values`, `messages|ns`, …) and its data, as JSON or as a `JsonText`. The
   * runner sends everything that the graph makes; the caller adds `metadata` and `error`.
   */
  frame: (event: string, data: unknown) => void;
  meter?: RunMeter;
}

export type AgentRunEnd =
  /**
   * A run that waits for a human is done as well; its `state.next` is not empty. `rest` holds the saved state that is not on disk
   * yet; it belongs into the unit that ends the run. `stopReason` is set when the agent was made to end early.
   */
  | { outcome: 'done'; state: StateView; rest: UnitPart[]; stopReason?: string }
  | { outcome: 'failed'; error: { name: string; message: string }; state: StateView | null };

/**
 * Runs a graph and returns how it ended. An error that the graph throws is such an end. The runner itself throws the reason of an
 * aborted signal, and errors that keep the run from being stored. After it has returned or thrown, it stores no more checkpoints
 * of the run.
 */
export interface AgentRunner {
  run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd>;
}
