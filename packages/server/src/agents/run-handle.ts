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
  /**
   * A `custom` event into the stream and the stored events of the run, also at the moment in which it is stopped, when what
   * a graph still writes is not heard any more.
   */
  tell(event: CustomEvent): void;
  /** The tool calls that a sub-agent's own are made within, the outermost first. */
  within?: readonly string[];
}

/** Its type is its name among the stored events. */
export interface CustomEvent {
  type: string;
  [field: string]: unknown;
}

/** The same run, for what goes on within a tool call of it. */
export function handleWithin(run: RunHandle, toolCallId: string): RunHandle {
  return { ...run, within: [...(run.within ?? []), toolCallId] };
}

/**
 * What a tool call is known by, however often it is repeated. Models of sub-agents that work side by side may well choose the
 * same ids, hence the calls around it.
 */
export function callKeyOf({ runId, within = [] }: RunHandle, toolCallId: string): string {
  return [runId, ...within, toolCallId].join(':');
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
