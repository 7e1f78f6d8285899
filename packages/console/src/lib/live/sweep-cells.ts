import type { SweepCell } from '@switchyard/contract/dispatch/sweep';
import type { Task } from '@switchyard/contract/dispatch/task';
import type { News } from './news.ts';
import type { TaskChange } from './task-change.ts';

/** Returns what the frames make of each cell of a sweep. */
export function changedCells(
  sweepId: string,
  { newTasks, tasks }: Pick<News, 'newTasks' | 'tasks'>,
): (cell: SweepCell) => SweepCell {
  const made = new Map<number, Task>();
  for (const task of newTasks) if (task.sweep?.id === sweepId) made.set(task.sweep.cell, task);
  return (before) => {
    const task = made.get(before.cell);
    const cell = task && task.id !== before.taskId ? cellOfNew(before, task.id) : before;
    const change = cell.taskId === null ? undefined : tasks.get(cell.taskId);
    return change ? changedCell(cell, change) : cell;
  };
}

/** Returns the cell itself when the change brings nothing new. A cell whose task has ended stays as it ended. */
export function changedCell(cell: SweepCell, { fields }: Pick<TaskChange, 'fields'>): SweepCell {
  if (hasEnded(cell)) return cell;
  const { status, progress = cell.progress, cancelRequested = cell.cancelRequested } = fields;
  const { error = cell.error, result } = fields;
  const state = error?.code === 'cancelled' ? 'cancelled' : (status ?? cell.state);
  const isSame =
    state === cell.state && progress === cell.progress && cancelRequested === cell.cancelRequested;
  if (isSame) return cell;
  return { ...cell, state, progress, cancelRequested, error, outputs: result?.outputs ?? cell.outputs };
}

function cellOfNew(cell: SweepCell, taskId: string): SweepCell {
  return { ...cell, taskId, state: 'pending', progress: 0, cancelRequested: false, error: null, outputs: [] };
}

function hasEnded({ state }: SweepCell): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
