/** Key in a run's `configurable` under which `RunHandle` travels. LangGraph keeps keys that begin `__` out of checkpoints. */
export const runHandleKey = '__switchyard_run';

/** What a run hands to the tools of its graph. Put into `configurable` by whoever runs the graph, on each attempt anew. */
export interface RunHandle {
  runId: string;
  threadId: string;
  userId: string;
  /**
   * Answered once the checkpoint that holds the calling tool's call is on disk. A tool that acts on the world awaits it
   * first: after a crash the run then comes back to the same call, with the same id, and not to a new one.
   */
  beforeActing(): Promise<void>;
}

interface ConfigOfRun {
  configurable?: Record<string, unknown> | undefined;
}

/** The handle of the run that a tool or node works for; undefined for a graph that nobody runs for a user. */
export function runHandleOf(config: ConfigOfRun): RunHandle | undefined {
  return config.configurable?.[runHandleKey] as RunHandle | undefined;
}

/** As `runHandleOf`, for a tool that makes no sense without. */
export function requireRunHandle(config: ConfigOfRun): RunHandle {
  const handle = runHandleOf(config);
  if (!handle) throw new Error('This tool works only in a run of the gateway, which knows for whom it acts.');
  return handle;
}

/**
 * True where the run was cancelled or took too long: what it has begun in the world ends with it. Where its process only
 * lets go of it, or lost it, another process goes on with it, and with what it has begun.
 */
export function isStoppedForGood(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  if (!signal.aborted || typeof reason !== 'object' || reason === null || !('how' in reason)) return false;
  const { kind } = (reason.how ?? {}) as { kind?: unknown };
  return kind === 'cancelled' || kind === 'timeout';
}
