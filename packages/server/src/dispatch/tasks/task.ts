import { createHash } from 'node:crypto';
import type { RetryPolicy, TaskErrorCode, TaskPhase } from '@switchyard/contract/dispatch/task';

/**
 * The prompt id of an attempt, by which a restarted gateway finds its execution again. Present ComfyUI accepts only a
 * lower-case UUID, so later attempts are hashed into one (version 8) instead of getting a suffix.
 */
export function promptIdOf(taskId: string, attempt: number): string {
  if (attempt <= 1) return taskId;
  const hex = createHash('sha256').update(`${taskId}:a${attempt}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export type CancelDecision = 'end_now' | 'ask_worker' | 'nothing_to_do' | 'already_finished';

/** Returns what a cancel does in each phase of a task. Cancelling a cancelled task again changes nothing. */
export function decideCancel(task: {
  phase: TaskPhase;
  cancelRequested: boolean;
  errorCode: TaskErrorCode | null;
}): CancelDecision {
  if (task.phase === 'ended') return task.errorCode === 'cancelled' ? 'nothing_to_do' : 'already_finished';
  if (task.phase === 'queued') return 'end_now';
  return task.cancelRequested ? 'nothing_to_do' : 'ask_worker';
}

/**
 * Why an attempt failed.
 * - `not_taken`: the worker certainly did not start it (connection refused, too large for it, or it lacks something)
 * - `too_large`: the worker takes no request of the size of an input, and would not do so later
 * - `unsent`: the gateway was interrupted before it handed the task over; the worker certainly does not have it
 * - `untraced`: the same, but it is not known whether the worker was restarted since and lost the task in that
 * - `lost`: the worker died, restarted or was cut off, its machine failed, or someone else stopped the execution; part
 *   of it may have been done
 * - `worker_error`: the worker's own trouble, such as no memory or a device error
 * - `graph_error`: the workflow's fault; another try would end the same way
 * - `stalled`, `timed_out`: no sign of life for too long; longer than allowed
 */
export type AttemptFailure =
  | 'not_taken'
  | 'too_large'
  | 'unsent'
  | 'untraced'
  | 'lost'
  | 'worker_error'
  | 'graph_error'
  | 'stalled'
  | 'timed_out'
  | 'outputs_lost';

export interface AttemptRecord {
  retry: RetryPolicy;
  maxAttempts: number;
  /** Attempts that started or may have started, this one included. */
  startedAttempts: number;
  /** The number of times that a worker did not take the task, this time included. */
  refusals: number;
  /** The number of times that the gateway was interrupted before a worker knew of the task, this time included. */
  interruptions: number;
  cancelRequested: boolean;
}

export type AfterFailure = { next: 'fail' } | { next: 'requeue'; delayMs: number };

/** A task that no worker takes ends instead of being tried for ever. */
const maxRefusals = 20;
/** A task whose handing over ends the gateway itself must not do so for ever. */
const maxInterruptions = 10;
const retriesOf: Record<RetryPolicy, readonly AttemptFailure[]> = {
  never: [],
  on_lost: ['lost', 'outputs_lost', 'stalled'],
  on_error: ['lost', 'outputs_lost', 'stalled', 'worker_error', 'graph_error', 'timed_out'],
};

/** The one decision about retries. A task with a requested cancel never starts again. */
export function decideRetry(failure: AttemptFailure, record: AttemptRecord): AfterFailure {
  if (record.cancelRequested) return { next: 'fail' };
  // It goes to each instance once.
  if (failure === 'too_large') return { next: 'requeue', delayMs: 0 };
  if (failure === 'not_taken') {
    if (record.refusals >= maxRefusals) return { next: 'fail' };
    return { next: 'requeue', delayMs: backoffMs(record.refusals) };
  }
  if (failure === 'unsent' || (failure === 'untraced' && record.retry !== 'never')) {
    if (record.interruptions >= maxInterruptions) return { next: 'fail' };
    return { next: 'requeue', delayMs: backoffMs(record.interruptions) };
  }
  const mayTryAgain =
    retriesOf[record.retry].includes(failure) && record.startedAttempts < record.maxAttempts;
  if (!mayTryAgain) return { next: 'fail' };
  return { next: 'requeue', delayMs: backoffMs(record.startedAttempts) };
}

const firstBackoffMs = 500;
const maxBackoffMs = 60_000;

function backoffMs(failures: number): number {
  return Math.min(firstBackoffMs * 2 ** Math.max(failures - 1, 0), maxBackoffMs);
}

const errorOfFailure: Record<AttemptFailure, TaskErrorCode> = {
  not_taken: 'rejected_by_worker',
  too_large: 'input_too_large',
  unsent: 'lost',
  untraced: 'lost',
  lost: 'lost',
  worker_error: 'device_error',
  graph_error: 'execution_failed',
  stalled: 'stalled',
  timed_out: 'timed_out',
  outputs_lost: 'outputs_lost',
};

/** The error code in the task's record when nothing more specific is known. */
export function errorCodeOf(failure: AttemptFailure): TaskErrorCode {
  return errorOfFailure[failure];
}
