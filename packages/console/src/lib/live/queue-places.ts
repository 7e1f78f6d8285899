import type { Task } from '@switchyard/contract/dispatch/task';
import type { TaskChange } from './task-change.ts';

/**
 * Returns a function that moves the waiting tasks of a list up, past those of the list that have left the queue with
 * these changes. Frames show only that a task has started, and not what that means for the places of the others.
 */
export function movingUp(
  tasks: readonly Task[],
  changes: ReadonlyMap<string, TaskChange>,
): (task: Task) => Task {
  const left = tasks.flatMap(({ id, position }) => {
    const status = changes.get(id)?.fields.status;
    return position !== null && status !== undefined && status !== 'pending' ? [position] : [];
  });
  if (left.length === 0) return (task) => task;
  return (task) => {
    const { position } = task;
    const ahead = position === null ? 0 : left.filter((place) => place < position).length;
    return ahead === 0 || position === null ? task : { ...task, position: position - ahead };
  };
}
