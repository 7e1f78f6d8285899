import type {
  BatchAction,
  NewTaskBatch,
  TaskBatch,
  TaskBatchItem,
  TaskFilterInput,
} from '@switchyard/contract/dispatch/task-batches';
import { AppError } from '../../lib/app-error.ts';
import type { TaskRow } from '../tables.ts';
import { ofStatus } from '../tasks/task-list-store.ts';
import type { BatchCounts, BatchItemRow, BatchRow } from './task-batch-store.ts';

/** The statuses that a filter means. Throws when none of them can be meant. */
export function statusesOf(
  action: BatchAction,
  { status }: Pick<TaskFilterInput, 'status'>,
): TaskRow['status'][] {
  if (action === 'retry') return [ofStatus(status).status ?? 'failed'];
  if (action === 'front') {
    if (status === undefined || status === 'pending') return ['pending'];
    throw faulty(['filter', 'status'], 'Only pending tasks can be moved. Leave status out, or send pending.');
  }
  if (status === undefined) return ['pending', 'running'];
  if (status === 'pending' || status === 'running') return [status];
  throw faulty(
    ['filter', 'status'],
    'Only pending and running tasks can be cancelled. Leave status out for both.',
  );
}

/** A batch names its tasks in one of two ways. */
export function requireOneChoice({ taskIds, filter }: NewTaskBatch): void {
  if ((taskIds === undefined) === (filter === undefined))
    throw faulty(['taskIds'], 'Send either taskIds or filter; an empty filter means all tasks.');
}

export function faulty(path: string[], message: string): AppError {
  return new AppError('validation_failed', { faults: [{ in: 'body', path, type: 'value_error', message }] });
}

export function viewCount(action: BatchAction, total: number, isMinimum: boolean): TaskBatch {
  const counts = { done: 0, skipped: 0, failed: 0, waitsFor: null };
  const none = { id: null, createdAt: null, finishedAt: null };
  return { action, state: 'counted', total, ...(isMinimum && { totalIsMinimum: true }), ...counts, ...none };
}

export function viewBatch(row: BatchRow & BatchCounts): TaskBatch {
  const { id, action, total, done, skipped, failed, waitsFor, createdAt, finishedAt } = row;
  const state = finishedAt === null ? 'running' : 'finished';
  return { id, action, state, total, done, skipped, failed, waitsFor, createdAt, finishedAt };
}

export function viewItem({ taskId, outcome, newTaskId, error }: BatchItemRow): TaskBatchItem {
  return {
    taskId,
    outcome,
    newTaskId,
    error: error === null ? null : (JSON.parse(error) as TaskBatchItem['error']),
  };
}
