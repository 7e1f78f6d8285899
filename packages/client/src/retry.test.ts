import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError } from './errors.ts';
import { retryDelayMs } from './retry.ts';

const policy = { maxTries: 3, maxWaitMs: 10_000 };
const get = { method: 'GET', headers: {}, hasStreamBody: false, triesDone: 1 };
const post = { ...get, method: 'POST' };
const keyedPost = { ...post, headers: { 'idempotency-key': 'k' } };

const broken = new ConnectionError('unreachable', 'broken');
const answered = (status: number, retryAfterSeconds: number | null) =>
  new ApiError({ status, code: 'x', message: 'x', retryAfterSeconds });

describe('a failed request is sent again', () => {
  it.each([
    ['GET after a broken connection', broken, get, 100],
    ['POST with an Idempotency-Key after a broken connection', broken, keyedPost, 100],
    ['GET when asked to come back', answered(503, 2), get, 2_000],
    ['PUT when asked to come back', answered(429, 1), { ...get, method: 'PUT' }, 1_000],
    ['DELETE when asked to come back', answered(503, 0), { ...get, method: 'DELETE' }, 0],
    ['POST with an Idempotency-Key when asked to come back', answered(429, 3), keyedPost, 3_000],
  ])('%s', (_, error, failed, delayMs) => {
    expect(retryDelayMs(error, failed, policy)).toBe(delayMs);
  });

  it('waits longer each time the connection breaks', () => {
    expect(retryDelayMs(broken, { ...get, triesDone: 2 }, policy)).toBe(200);
  });
});

describe('a failed request is not sent again', () => {
  it.each([
    ['POST after a broken connection', broken, post],
    ['POST when asked to come back', answered(503, 1), post],
    ['PATCH when asked to come back', answered(503, 1), { ...get, method: 'PATCH' }],
    [
      'DELETE after a broken connection, for the second answer would be "no such thing"',
      broken,
      { ...get, method: 'DELETE' },
    ],
    ['GET without a Retry-After', answered(503, null), get],
    ['GET that was refused', answered(404, 1), get],
    ['GET that is asked to wait too long', answered(503, 11), get],
    ['GET at the last try', broken, { ...get, triesDone: 3 }],
    ['GET after its deadline', new ConnectionError('timed_out', 'late'), get],
    ['an upload, which was read while it was sent', broken, { ...keyedPost, hasStreamBody: true }],
    ['after a defect of ours', new TypeError('defect'), get],
  ])('%s', (_, error, failed) => {
    expect(retryDelayMs(error, failed, policy)).toBeNull();
  });
});
