import type { Patience } from '@switchyard/contract/dispatch/patience';

export interface ExecutionTimeouts {
  /** The time that a worker may take to answer a question about an execution. */
  askMs: number;
  /** Between two looks at the worker while its socket is open; events arrive in between. */
  pollMs: number;
  /** Between two looks while the socket is closed. */
  pollUnheardMs: number;
  /**
   * From the moment the prompt was taken to the first message of any kind over the event socket; a socket that stays
   * silent is deaf.
   */
  hearMs: number;
  /** From the moment the prompt was taken to its start, when no one else's prompt is before it. */
  startMs: number;
  /** The longest time without any event of the execution. */
  silenceMs: number;
  /** The time that a new socket gets before a silent worker counts as stuck. */
  secondChanceMs: number;
  /** The time for which a worker may be out of reach before its execution counts as lost. */
  lostMs: number;
  /** The same for a worker that refuses connections: nothing listens there any more, so the process is gone. */
  refusedMs: number;
  /** The time that a request whose answer was lost may take to get through the worker. */
  reconcileMs: number;
  /** From asking an execution to stop to ending the task without the worker. */
  cancelMs: number;
  /**
   * The time for which an instance is avoided at first after it refused a task or failed at it; twice as long each time.
   */
  avoidMs: number;
}

export const executionTimeouts: ExecutionTimeouts = {
  askMs: 10_000,
  pollMs: 7_000,
  pollUnheardMs: 1_000,
  hearMs: 1_000,
  startMs: 60_000,
  silenceMs: 600_000,
  secondChanceMs: 15_000,
  lostMs: 30_000,
  refusedMs: 3_000,
  reconcileMs: 2_000,
  cancelMs: 20_000,
  avoidMs: 2_000,
};

/** The timeouts of one execution: the defaults, then those of its server, then those of its task. */
export function timeoutsOf(
  usual: ExecutionTimeouts,
  patiences: readonly (Patience | null)[],
): ExecutionTimeouts {
  const patience: Patience = Object.assign({}, ...patiences);
  const lostMs = inMs(patience.lostSeconds) ?? usual.lostMs;
  const silenceMs = inMs(patience.silentSeconds) ?? usual.silenceMs;
  return {
    ...usual,
    lostMs,
    refusedMs: inMs(patience.refusedSeconds) ?? Math.min(usual.refusedMs, lostMs),
    silenceMs,
    startMs: Math.min(usual.startMs, silenceMs),
    cancelMs: inMs(patience.cancelSeconds) ?? usual.cancelMs,
  };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
