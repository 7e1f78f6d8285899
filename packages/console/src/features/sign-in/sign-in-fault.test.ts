import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { expect, it } from 'vitest';
import { signInFault } from './sign-in-fault.ts';

const answered = (
  status: number,
  code: string,
  rest: { message?: string; retryAfterSeconds?: number } = {},
) => new ApiError({ message: 'refused', ...rest, status, code });

it.each([
  [answered(401, 'invalid_credentials'), 'credentials', null],
  [answered(400, 'invalid_credentials'), 'current', null],
  [answered(429, 'too_many', { retryAfterSeconds: 300 }), 'locked', 300],
  [answered(429, 'too_many', { retryAfterSeconds: 1 }), 'busy', 1],
  [answered(400, 'email_already_exists'), 'taken', null],
  [answered(409, 'system_already_initialized'), 'exists', null],
  [answered(422, 'validation_failed', { message: 'body.password: Password is too common' }), 'common', null],
  [answered(500, 'internal_error'), 'other', null],
  [new ConnectionError('unreachable', 'nothing listens there'), 'unreachable', null],
] as const)('reads %j as %s', (error, key, waitSeconds) => {
  expect(signInFault(error)).toMatchObject({ key, waitSeconds });
});
