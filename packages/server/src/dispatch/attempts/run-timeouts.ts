import type { Patience } from '@switchyard/contract/dispatch/patience';

export interface RunTimeouts {
  /** For a worker to answer a question about a run. */
  askMs: number;
  /** Between two looks at the worker while its socket is open; events come in meanwhile. */
  pollMs: number;
  /** The same while the socket is closed. */
  pollUnheardMs: number;
  /** From taken to the first word over the event socket, about whatever; a socket without one is deaf. */
  hearMs: number;
  /** From taken to started, when nobody else's run is before it. */
  startMs: number;
  /** Without any event of the run. */
  silenceMs: number;
  /** What a new socket gets before a silent worker counts as stuck. */
  secondChanceMs: number;
  /** How long a worker may be out of reach before its run counts as lost. */
  lostMs: number;
  /** The same for one that refuses connections: nobody listens there any more, so the process is gone. */
  refusedMs: number;
  /** For a request whose answer was lost to come through the worker. */
  reconcileMs: number;
  /** From asking a run to stop to ending the task without it. */
  cancelMs: number;
  /** How long an instance is first avoided after it refused a task or failed at it; twice as long each time. */
  avoidMs: number;
}

export const runTimeouts: RunTimeouts = {
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

/** The timeouts of one run: the gateway's own, then what its server says, then what its task says. */
export function timeoutsOf(usual: RunTimeouts, patiences: readonly (Patience | null)[]): RunTimeouts {
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
