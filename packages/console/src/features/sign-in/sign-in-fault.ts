import { ApiError, ConnectionError } from '@switchyard/client/errors';

/** Why a sign-in or a new password was refused, as a key of the texts. */
export interface SignInFault {
  key:
    | 'credentials'
    | 'current'
    | 'locked'
    | 'busy'
    | 'common'
    | 'taken'
    | 'exists'
    | 'unreachable'
    | 'other';
  error: Error;
  /** The time for which the gateway accepts no further try. */
  waitSeconds: number | null;
}

/** A wait as short as this comes from many sign-ins at once; a lock-out takes longer. */
const busySeconds = 2;

export function signInFault(error: Error): SignInFault {
  const waitSeconds =
    error instanceof ApiError && error.status === 429 ? (error.retryAfterSeconds ?? 1) : null;
  return { key: keyOf(error, waitSeconds), error, waitSeconds };
}

function keyOf(error: Error, waitSeconds: number | null): SignInFault['key'] {
  if (waitSeconds !== null) return waitSeconds > busySeconds ? 'locked' : 'busy';
  if (error instanceof ConnectionError) return 'unreachable';
  if (!(error instanceof ApiError)) return 'other';
  if (error.code === 'invalid_credentials') return error.status === 401 ? 'credentials' : 'current';
  if (error.code === 'email_already_exists') return 'taken';
  if (error.code === 'system_already_initialized') return 'exists';
  return error.message.includes('too common') ? 'common' : 'other';
}
