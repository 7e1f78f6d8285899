import { AppError, causesOf } from '../../lib/app-error.ts';

/** Attempts at one model, the first included. */
export const maxAttempts = 3;
const firstWaitMs = 1_000;
const maxWaitMs = 30_000;

const passingStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);
const passingCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'UND_ERR_SOCKET',
]);
const passingNames = /^(APIConnection(Timeout)?Error|TimeoutError|FetchError)$/;

export type RetryReason = 'rate_limited' | 'unavailable' | 'connection';

/** Returns why another attempt may help, or null when it cannot. */
export function retryReason(error: unknown): RetryReason | null {
  const causes = causesOf<Cause>(error);
  if (causes.some((cause) => cause instanceof AppError)) return null;
  const status = causes.map(({ status: given }) => given).find((given) => typeof given === 'number');
  if (status === 429) return 'rate_limited';
  if (status !== undefined) return status >= 500 || passingStatuses.has(status) ? 'unavailable' : null;
  return causes.some(isOfConnection) ? 'connection' : null;
}

/** Waits as long as the provider says, otherwise twice as long each time; never more than half a minute. */
export function waitMs(error: unknown, attempt: number): number {
  const asked = causesOf<Cause>(error)
    .map(askedWaitMs)
    .find((given) => given !== null);
  return Math.min(asked ?? firstWaitMs * 2 ** (attempt - 1), maxWaitMs);
}

interface Cause {
  name?: string;
  message?: string;
  status?: unknown;
  code?: unknown;
  headers?: unknown;
}

function isOfConnection({ name = '', code, message }: Cause): boolean {
  if (passingNames.test(name) || (typeof code === 'string' && passingCodes.has(code))) return true;
  // fetch reports in this way that the other side has closed the connection, before an answer or within one.
  return name === 'TypeError' && (message === 'fetch failed' || message === 'terminated');
}

function askedWaitMs({ headers }: Cause): number | null {
  const given = headers instanceof Headers ? headers.get('retry-after') : null;
  if (given === null || given.trim() === '') return null;
  const seconds = Number(given);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}
