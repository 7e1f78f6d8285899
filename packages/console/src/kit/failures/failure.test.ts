import { expect, it } from 'vitest';
import { describeFailure } from './failure.ts';

it('gives the first line as the cause and folds the rest', () => {
  expect(
    describeFailure({ code: 'execution_failed', message: 'ValueError: bad size\n  File "a.py"\n  line 2' }),
  ).toEqual({
    cause: 'ValueError: bad size',
    rest: 'File "a.py"\n  line 2',
    advice: 'node',
  });
});

it.each([
  ['execution_failed', 'torch.OutOfMemoryError: Allocation on device', 'node'],
  ['execution_failed', 'CUDA out of memory. Tried to allocate 2 GiB', 'memory'],
  ['out_of_memory', 'The device has no memory left.', 'memory'],
  [
    'rejected_by_worker',
    'Cannot execute because node FaceSwap does not exist: class_type FaceSwap not found',
    'missingNode',
  ],
  ['rejected_by_worker', "ckpt_name: 'sd.safetensors' not in list", 'missingModel'],
  ['execution_failed', "FileNotFoundError: [Errno 2] No such file or directory: 'a.png'", 'missingFile'],
  [
    'rejected_by_worker',
    'Custom validation failed for node: image - Invalid image file: a.png',
    'missingFile',
  ],
  [
    'execution_failed',
    'KSampler: mat1 and mat2 shapes cannot be multiplied (154x2048 and 768x320)',
    'models',
  ],
  ['timed_out', 'The attempt took longer than 60 seconds.', 'timeout'],
  ['lost', 'The worker went away.', 'lost'],
  ['outputs_missing', 'The files are gone.', 'outputs'],
] as const)('knows what to try after %s: %s', (code, message, advice) => {
  expect(describeFailure({ code, message }).advice).toBe(advice);
});

it('shows the code when there is no message', () => {
  expect(describeFailure({ code: 'internal_error', message: '' }).cause).toBe('internal_error');
});
