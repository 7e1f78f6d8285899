import { describe, expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { retryReason, waitMs } from './retry-rules.ts';

describe('another attempt', () => {
  it.each([
    ['a rate limit', failure({ status: 429 }), 'rate_limited'],
    ['a fault of the provider', failure({ status: 500 }), 'unavailable'],
    ['a fault within a wrapper', new Error('outer', { cause: failure({ status: 503 }) }), 'unavailable'],
    ['a refused connection', failure({ code: 'ECONNREFUSED' }), 'connection'],
    ['a stream that broke off', new TypeError('terminated'), 'connection'],
    ['a request that is wrong', failure({ status: 400 }), null],
    ['a key that is wrong', failure({ status: 401 }), null],
    ['a package that is missing', new AppError('model_unavailable'), null],
    ['a mistake of ours', new TypeError('x is not a function'), null],
  ])('after %s', (_name, error, reason) => {
    expect(retryReason(error)).toBe(reason);
  });

  it('waits twice as long each time, or as long as the provider says, but never too long', () => {
    const asked = (seconds: string) => failure({ headers: new Headers({ 'retry-after': seconds }) });

    expect([1, 2, 3].map((attempt) => waitMs(failure({}), attempt))).toEqual([1_000, 2_000, 4_000]);
    expect(waitMs(asked('7'), 1)).toBe(7_000);
    expect(waitMs(asked('0'), 3)).toBe(0);
    expect(waitMs(asked('86400'), 1)).toBe(30_000);
    expect(waitMs(asked('soon'), 1)).toBe(1_000);
  });
});

function failure(parts: object): Error {
  return Object.assign(new Error('failed'), parts);
}
