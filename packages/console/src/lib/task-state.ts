import type { Task } from '@switchyard/contract/dispatch/task';

/** A task in one word: the four statuses, and two that show what a user has asked for. */
export const taskStates = ['waiting', 'running', 'stopping', 'done', 'failed', 'cancelled'] as const;
export type TaskState = (typeof taskStates)[number];

type Shown = Pick<Task, 'status' | 'error' | 'cancelRequested'>;

export function stateOf({ status, error, cancelRequested }: Shown): TaskState {
  if (status === 'pending') return 'waiting';
  if (status === 'running') return cancelRequested ? 'stopping' : 'running';
  if (status === 'completed') return 'done';
  return error?.code === 'cancelled' ? 'cancelled' : 'failed';
}

/** The glyph of each state. */
export const glyphOf = {
  waiting: 'waiting',
  running: 'running',
  stopping: 'draining',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<TaskState, string>;

export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

type Times = Pick<Task, 'status' | 'createdAt' | 'startedAt' | 'finishedAt'>;

/** Returns how long the task was in the queue. It stands apart from the work. */
export function waitedMs({ createdAt, startedAt, finishedAt }: Times, nowMs: number): number {
  const until = startedAt ?? finishedAt;
  return Math.max(0, (until === null ? nowMs : Date.parse(until)) - Date.parse(createdAt));
}

/** Returns whether the time in the queue still grows. */
export function isWaiting({ startedAt, finishedAt }: Pick<Times, 'startedAt' | 'finishedAt'>): boolean {
  return startedAt === null && finishedAt === null;
}

/** Returns how long a worker had the task; null when none has had it. */
export function ranMs({ startedAt, finishedAt }: Times, nowMs: number): number | null {
  if (startedAt === null) return null;
  return Math.max(0, (finishedAt === null ? nowMs : Date.parse(finishedAt)) - Date.parse(startedAt));
}

/** Returns the rest of an estimate, in milliseconds from now; null when there is none. */
export function remainingMs(eta: Task['eta'], nowMs: number): { from: number; to: number } | null {
  if (eta === null) return null;
  return { from: Math.max(0, Date.parse(eta.from) - nowMs), to: Math.max(0, Date.parse(eta.to) - nowMs) };
}

const shortIdLength = 8;

/** The end of an id: its beginning is the time, which neighbours share. */
export function shortId(id: string): string {
  return id.slice(-shortIdLength);
}

/** The pictures among what a task made, in its order. */
export function picturesOf(task: Pick<Task, 'result'>) {
  return (task.result?.outputs ?? []).filter(({ contentType }) => contentType.startsWith('image/'));
}
