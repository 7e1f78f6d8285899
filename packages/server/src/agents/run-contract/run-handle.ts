/** Key in a run's `configurable` that holds the `RunHandle`. LangGraph keeps keys that begin with `__` out of checkpoints. */
export const runHandleKey = '__switchyard_run';

/** A run as the tools of its graph see it. The runner puts it into `configurable` in each attempt. */
export interface RunHandle {
  runId: string;
  threadId: string;
  userId: string;
  /** The agent, as the request of the run named it. */
  agent: string;
  /** For the servers that the run calls; undefined when nothing is traced. */
  traceparent?: string | undefined;
  /**
   * Resolves when the checkpoint that holds the tool's call is on disk. A tool with effects outside of the run awaits it first:
   * after a crash the run then comes back to the same call with the same id, and does not make a new one.
   */
  beforeActing(): Promise<void>;
  /**
   * Sends a `custom` event into the stream and into the stored events of the run. It also works while the run is being stopped,
   * when writes of the graph are no longer read.
   */
  tell(event: CustomEvent): void;
  /** True when the client follows the graphs inside the run, each under its own namespace. */
  streamsSubgraphs?: boolean;
  /** The tool calls around a sub-agent's own calls, the outermost first. */
  within?: readonly string[];
}

/** `type` becomes the name of the stored event. */
export interface CustomEvent {
  type: string;
  [field: string]: unknown;
}

/** Returns a handle of the same run for work inside one of its tool calls. */
export function handleWithin(run: RunHandle, toolCallId: string): RunHandle {
  return { ...run, within: [...(run.within ?? []), toolCallId] };
}

/**
 * Returns a key that identifies a tool call however often it is repeated. Models of sub-agents that work at the same time may
 * choose the same ids, so the key includes the calls around it.
 */
export function callKeyOf({ runId, within = [] }: RunHandle, toolCallId: string): string {
  return [runId, ...within, toolCallId].join(':');
}

interface ConfigOfRun {
  configurable?: Record<string, unknown> | undefined;
}

/** Returns the handle of the run that a tool or node works for, or undefined when a graph runs for no user. */
export function runHandleOf(config: ConfigOfRun): RunHandle | undefined {
  return config.configurable?.[runHandleKey] as RunHandle | undefined;
}

/** Does the same as `runHandleOf`, for a tool that cannot work without a handle. */
export function requireRunHandle(config: ConfigOfRun): RunHandle {
  const handle = runHandleOf(config);
  if (!handle) throw new Error('This tool works only in a run of the gateway, which knows for whom it acts.');
  return handle;
}

/**
 * Returns true when the run was cancelled or took too long: the tasks that it started then end with it. When its process only
 * released or lost the run, another process continues it together with those tasks.
 */
export function isStoppedForGood(signal: AbortSignal): boolean {
  const { kind } = howStopped(signal);
  return kind === 'cancelled' || kind === 'timeout';
}

/** Returns true when the run was stopped for good and its work stays, which a rollback takes away. */
export function keepsItsWork(signal: AbortSignal): boolean {
  return isStoppedForGood(signal) && howStopped(signal).action !== 'rollback';
}

function howStopped(signal: AbortSignal): { kind?: unknown; action?: unknown } {
  const reason: unknown = signal.reason;
  if (!signal.aborted || typeof reason !== 'object' || reason === null || !('how' in reason)) return {};
  return reason.how ?? {};
}
