import type { Task } from '@switchyard/contract/dispatch/task';

/** The content of frames about one task, and the time at which the gateway sent the last of them. */
export interface TaskChange {
  fields: Partial<Task>;
  atMs: number;
}

type Changing = Pick<Task, 'id' | 'status' | 'updatedAt'>;

export function joinedChange(before: TaskChange | undefined, after: TaskChange): TaskChange {
  if (!before) return after;
  if (isEnd(before.fields) && !isEnd(after.fields)) return before;
  return { fields: { ...before.fields, ...after.fields }, atMs: Math.max(before.atMs, after.atMs) };
}

/** Returns the task itself when the change brings nothing new. A task that has ended stays as it ended. */
export function changedTask<T extends Changing>(task: T, { fields }: TaskChange): T {
  if (hasEnded(task.status) && !isEnd(fields)) return task;
  const isSame = Object.entries(fields).every(([name, value]) => task[name as keyof T] === value);
  return isSame ? task : { ...task, ...fields };
}

/** Returns whether an answer of the API is older than the change. An answer that was on its way meanwhile may be. */
export function isNewer({ atMs, fields }: TaskChange, task: Changing): boolean {
  return isEnd(fields) ? !hasEnded(task.status) : atMs > Date.parse(task.updatedAt);
}

function isEnd({ status }: Partial<Task>): boolean {
  return status !== undefined && hasEnded(status);
}

function hasEnded(status: Task['status']): boolean {
  return status === 'completed' || status === 'failed';
}
