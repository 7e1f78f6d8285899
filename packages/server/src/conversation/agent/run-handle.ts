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

/** The handle of the run that a tool or node works for; undefined for a graph that nobody runs for a user. */
export function runHandleOf(config: {
  configurable?: Record<string, unknown> | undefined;
}): RunHandle | undefined {
  return config.configurable?.[runHandleKey] as RunHandle | undefined;
}
