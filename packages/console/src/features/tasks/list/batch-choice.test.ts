import { expect, it } from 'vitest';
import { batchCommand, batchOf } from './batch-choice.ts';
import { readFilter } from './task-filter.ts';

const filter = readFilter('?status=failed&tag=night');

it('names the chosen tasks, or sends the filter instead', () => {
  expect(batchOf('retry', { taskIds: ['a', 'b'] })).toEqual({ action: 'retry', taskIds: ['a', 'b'] });
  expect(batchOf('cancel', { filter, query: { status: 'failed', tag: 'night', order: 'asc' } })).toEqual({
    action: 'cancel',
    filter: { status: 'failed', tag: 'night' },
  });
});

it('writes the same batch for the command line', () => {
  expect(batchCommand('retry', { taskIds: ['a', 'b'] })).toBe('switchyard tasks retry a b');
  expect(batchCommand('cancel', { filter, query: {} })).toBe(
    'switchyard tasks cancel --status failed --tag night',
  );
});
