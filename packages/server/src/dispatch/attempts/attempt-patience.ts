import { say } from '@switchyard/contract/sentences/sentences';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { failed } from './attempt-outcome.ts';
import type { TaskAttempt, WorkerPart } from './task-attempt.ts';

export type Execute = (attempt: TaskAttempt) => Promise<WorkerPart | null>;

interface Patience {
  signal: AbortSignal;
  timer: Timer;
  report: (error: unknown, attempt: TaskAttempt, message: string) => void;
}

const pickUpDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
const firstSettleDelayMs = 500;
/** The longest delay before writing resumes once a full disk or a lost database works again. */
const maxSettleDelayMs = 5_000;

/**
 * Follows an attempt to its end on the worker. An error of the gateway's own (such as a lost database) says nothing
 * about the execution there: the gateway resumes it instead of sending it again.
 */
export async function executePatiently(
  attempt: TaskAttempt,
  { execute, ...patience }: Patience & { execute: Execute },
): Promise<WorkerPart | null> {
  let next = execute;
  for (const delayMs of pickUpDelaysMs) {
    try {
      return await next(attempt);
    } catch (error) {
      if (patience.signal.aborted) return null;
      patience.report(error, attempt, 'an attempt met an error of the gateway');
      await pause(delayMs, patience);
      if (patience.signal.aborted) return null;
      next = () => attempt.reattach();
    }
  }
  return { outcome: failed('graph_error', say('gateway_failed'), 'internal_error'), isStuck: true };
}

/** Writes the outcome of an attempt, and retries until it is written or another runner has to write it. */
export async function settlePatiently(
  attempt: TaskAttempt,
  { settle, ...patience }: Patience & { settle: () => Promise<void> },
): Promise<void> {
  for (let delayMs = firstSettleDelayMs; ; delayMs = Math.min(2 * delayMs, maxSettleDelayMs)) {
    try {
      await settle();
      return;
    } catch (error) {
      if (patience.signal.aborted) return;
      patience.report(error, attempt, 'the end of an attempt could not be written yet');
      await pause(delayMs, patience);
    }
  }
}

async function pause(delayMs: number, { signal, timer }: Patience): Promise<void> {
  await sleepWithSignal(delayMs, { signal, timer }).catch(() => undefined);
}
