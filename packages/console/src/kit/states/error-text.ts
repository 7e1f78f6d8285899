import { ApiError, ConnectionError } from '@switchyard/client/errors';

/** An error as people need it: what answered, whether trying again can help, and the id that an operator can search for. */
export interface ShownError {
  kind: 'forbidden' | 'missing' | 'session' | 'busy' | 'unreachable' | 'other';
  status: number | null;
  message: string;
  requestId: string | null;
  retryAfterSeconds: number | null;
}

export function describeError(error: unknown): ShownError {
  if (error instanceof ApiError) {
    return {
      kind: kindOf(error.status),
      status: error.status,
      message: error.message,
      requestId: error.requestId,
      retryAfterSeconds: error.retryAfterSeconds,
    };
  }
  const unreachable = error instanceof ConnectionError && error.fault !== 'not_understood';
  return {
    kind: unreachable ? 'unreachable' : 'other',
    status: null,
    message: error instanceof Error ? error.message : String(error),
    requestId: null,
    retryAfterSeconds: null,
  };
}

/** Returns true when the thing does not exist for this user. */
export function isMissing(error: unknown): boolean {
  return describeError(error).kind === 'missing';
}

function kindOf(status: number): ShownError['kind'] {
  if (status === 401) return 'session';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'missing';
  return status === 429 || status === 503 || status === 504 ? 'busy' : 'other';
}
