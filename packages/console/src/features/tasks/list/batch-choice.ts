import type { NewTaskBatch } from '@switchyard/contract/dispatch/task-batches';
import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { optionsOf, type TaskListFilter } from './task-filter.ts';

export const batchActions = ['front', 'retry', 'cancel'] as const satisfies NewTaskBatch['action'][];
export type ListBatchAction = (typeof batchActions)[number];

/** Either tasks by their ids, or everything that a filter finds. */
export type BatchChoice =
  | { taskIds: string[] }
  | { filter: TaskListFilter; query: Omit<TaskListQuery, 'limit' | 'offset'> };

/** The batch as the API takes it. */
export function batchOf(action: ListBatchAction, choice: BatchChoice): NewTaskBatch {
  if ('taskIds' in choice) return { action, taskIds: choice.taskIds };
  const { order: _, ...filter } = choice.query;
  return { action, filter };
}

/** The same batch for the command line. */
export function batchCommand(action: ListBatchAction, choice: BatchChoice): string {
  const chosen = 'taskIds' in choice ? choice.taskIds.join(' ') : optionsOf(choice.filter);
  return `switchyard tasks ${action} ${chosen}`.trim();
}
