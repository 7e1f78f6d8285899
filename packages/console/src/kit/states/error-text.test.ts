import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { expect, it } from 'vitest';
import { describeError } from './error-text.ts';

it.each([
  [401, 'session'],
  [403, 'forbidden'],
  [404, 'missing'],
  [409, 'other'],
  [429, 'busy'],
  [503, 'busy'],
  [500, 'other'],
] as const)('tells an answer of status %i as %s, with its request id', (status, kind) => {
  const error = new ApiError({ status, code: 'x', message: 'It says why.', requestId: 'r1' });
  expect(describeError(error)).toMatchObject({ kind, status, message: 'It says why.', requestId: 'r1' });
});

it('tells a gateway that does not answer from an answer that makes no sense', () => {
  expect(describeError(new ConnectionError('unreachable', 'No answer.')).kind).toBe('unreachable');
  expect(describeError(new ConnectionError('not_understood', 'HTML.')).kind).toBe('other');
});

it('shows what is not an error of the gateway by its message', () => {
  expect(describeError('broken')).toMatchObject({ kind: 'other', message: 'broken', requestId: null });
});
