import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { AppError } from '@switchyard/server/lib/app-error';
import { describe, expect, it } from 'vitest';
import { CommandError } from './exit-codes.ts';
import { explainError } from './explain-error.ts';

const explain = (error: unknown) => explainError(error, { env: {}, stderr: { write: () => true } });
const answered = (options: Partial<ConstructorParameters<typeof ApiError>[0]>) =>
  new ApiError({ status: 422, code: 'x', message: 'It is wrong.', ...options });

describe('an error', () => {
  it('of the gateway shows its sentence and the hint for it', () => {
    expect(explain(answered({ code: 'token_expired', message: 'The token has expired.' }))).toBe(
      'The token has expired.\nSign in with: switchyard login',
    );
    expect(explain(answered({}))).toBe('It is wrong.');
  });

  it('that is temporary says how long to wait', () => {
    expect(explain(answered({ status: 429, retryAfterSeconds: 10 }))).toBe(
      'It is wrong.\nThe gateway asks to wait 10 s.',
    );
    expect(explain(answered({ status: 429, retryAfterSeconds: 290 }))).toMatch(/wait 5 min\.$/);
  });

  it('with several faults names each of them once', () => {
    const details = [
      { path: 'body.a', message: 'is missing' },
      { path: 'body.b', message: 'is too long' },
    ];
    expect(explain(answered({ message: 'body.a: is missing (and 1 more)', details }))).toBe(
      'The gateway refused the request:\n  body.a: is missing\n  body.b: is too long',
    );
  });

  it.each([[[null, 5]], [{ nodes: [] }], ['text'], [[{ path: 'a', message: 'one fault' }]]])(
    'with other details (%j) is its sentence',
    (details) => {
      expect(explain(answered({ details }))).toBe('It is wrong.');
    },
  );

  it('inside the gateway names the request id, which is in its log', () => {
    expect(explain(answered({ status: 500, requestId: 'r1' }))).toBe('It is wrong. (request r1)');
  });

  it('of the connection says what to do', () => {
    expect(explain(new ConnectionError('unreachable', 'Cannot reach it.'))).toMatch(
      /^Cannot reach it\.\n.*--url/,
    );
  });

  it('shows no control sequence of a terminal', () => {
    expect(explain(answered({ message: 'a\u001b[2Jb' }))).not.toContain('\u001b');
    expect(explain(new CommandError('failed', 'a\u001b[2Jb'))).not.toContain('\u001b');
  });

  it('at the start of a gateway shows its cause', () => {
    const cause = new Error('no such host');
    expect(explain(new AppError('database_unavailable', { cause }))).toMatch(/\(no such host\)$/);
  });

  it('that no code raised on purpose shows its stack', () => {
    expect(explain(new TypeError('x is undefined'))).toMatch(/^TypeError: x is undefined\n\s+at /);
  });
});
