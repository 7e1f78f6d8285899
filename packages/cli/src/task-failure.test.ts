import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { expect, it } from 'vitest';
import { exitNameOf } from './exit-codes.ts';
import { hintOfMissingFile, taskFailure } from './task-failure.ts';

const completed = { id: 'a', status: 'completed', error: null } as TaskDetail;
const failed = {
  id: 'b',
  status: 'failed',
  error: { code: 'execution_failed', message: 'Out of paint.', node: '3', nodeTitle: 'Save' },
} as TaskDetail;

it('completed tasks are not a failure', () => {
  expect(taskFailure([completed, completed])).toBeUndefined();
  expect(taskFailure([])).toBeUndefined();
});

it('a failed task says why and where', () => {
  expect(taskFailure([failed])?.message).toBe('Task b failed: Out of paint. (at Save)');
  expect(exitNameOf(taskFailure([failed]))).toBe('failed');
});

it('several failed tasks give their number and the reason of the first', () => {
  expect(taskFailure([completed, failed])?.message).toMatch(
    /^1 of 2 tasks failed\. Task b failed: Out of paint\./,
  );
});

it('says how to send the file that no worker has, with the option as it can be typed', () => {
  const error = { code: 'input_file_missing', message: 'No cat.png.', node: '1', nodeTitle: 'LoadImage' };
  const inputs = { image: 'cat.png', upload: 'image', 'odd name': 'cat.png', link: ['2', 0], none: '' };
  const task = { ...failed, error, workflow: { '1': { class_type: 'LoadImage', inputs } } } as TaskDetail;
  expect(hintOfMissingFile(task)).toBe(
    " Send the file along: -p 1.image=@FILE Send the file along: -p '1.odd name'=@FILE",
  );
  expect(hintOfMissingFile(failed)).toBe('');
});
