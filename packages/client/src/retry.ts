import { ApiError, ConnectionError } from './errors.ts';

export interface RetryPolicy {
  /** Includes the first try. */
  maxTries: number;
  /** When the gateway asks for a longer wait, the caller gets the error instead. */
  maxWaitMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { maxTries: 3, maxWaitMs: 10_000 };

/** The wait before the second try after a broken connection. It doubles for each further try. */
const firstDelayMs = 100;

interface Failed {
  method: string;
  headers: Readonly<Record<string, string>>;
  /** A body that is read while it is sent cannot be sent again. */
  hasStreamBody: boolean;
  triesDone: number;
}

/** Returns how long to wait before the request is sent again; null when it is not sent again. */
export function retryDelayMs(error: unknown, failed: Failed, policy: RetryPolicy): number | null {
  if (failed.hasStreamBody || failed.triesDone >= policy.maxTries) return null;
  if (error instanceof ConnectionError && error.fault === 'unreachable' && answersTheSame(failed)) {
    return firstDelayMs * 2 ** (failed.triesDone - 1);
  }
  if (!(error instanceof ApiError) || error.retryAfterSeconds === null || !isIdempotent(failed)) return null;
  if (error.status !== 429 && error.status !== 503) return null;
  const waitMs = error.retryAfterSeconds * 1_000;
  return waitMs <= policy.maxWaitMs ? waitMs : null;
}

/** Sending it twice has the effect of sending it once. */
function isIdempotent({ method, headers }: Failed): boolean {
  return method === 'GET' || method === 'PUT' || method === 'DELETE' || hasKey(headers);
}

/** The second answer also equals the first: when the first one was lost, the caller still gets the right one. */
function answersTheSame({ method, headers }: Failed): boolean {
  return method === 'GET' || hasKey(headers);
}

function hasKey(headers: Failed['headers']): boolean {
  return headers['idempotency-key'] !== undefined;
}
