import { say, withDetail } from '@switchyard/contract/sentences/sentences';
import { AppError, WordedError } from '../../../lib/app-error.ts';
import { isProxyFault, type WorkerCallCause, WorkerCallError } from '../worker-client.ts';

const causeOfCode: Record<string, WorkerCallCause> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timed_out',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EHOSTDENIED: 'host_not_allowed',
  ECONNRESET: 'broken_off',
  EPIPE: 'broken_off',
  EPROTO: 'tls_failed',
};

export function callFailure(
  cause: WorkerCallCause,
  address: string,
  options: {
    mayHaveArrived?: boolean;
    status?: number;
    /** The exact fault, in brackets after the sentence. */
    detail?: string;
    cause?: unknown;
  } = {},
): WorkerCallError {
  const { detail, ...rest } = options;
  const message = say(`call_${cause}`, { address });
  return new WorkerCallError(cause, detail ? withDetail(message, detail) : message, rest);
}

/** The failure of a request that the worker does not take for its size; its limit is null when it names none. */
export function sizeRefused(
  address: string,
  { sizeBytes, limitBytes }: { sizeBytes: number; limitBytes: number | null },
): WorkerCallError {
  const size = inMegabytes(sizeBytes);
  const message =
    limitBytes === null
      ? say('call_size_refused', { address, size })
      : say('call_size_above_limit', { address, size, limit: inMegabytes(limitBytes) });
  return new WorkerCallError('refused_size', message, { mayHaveArrived: false });
}

/** Two digits after the point, so that a file just above a limit does not seem to equal it. */
function inMegabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(2);
}

/**
 * Turns a system error of a connection into a `WorkerCallError`. Any other error is not the worker's and is returned
 * unchanged.
 */
export function failureOf(error: unknown, address: string, mayHaveArrived: boolean): unknown {
  const code = codeOf(error);
  if (error instanceof WorkerCallError || error instanceof AppError) return error;
  // A fault of the proxy in between has words of its own.
  if (error instanceof WordedError && code === null)
    return callFailure('unreachable', address, { mayHaveArrived, cause: error, detail: error.message });
  if (code === null) return error;
  return callFailure(causeOf(code), address, { mayHaveArrived, cause: error, detail: code });
}

/** The failure that a status means on its own; null when the body should be read. */
export function failureOfStatus(status: number, address: string): WorkerCallError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 401 || status === 403 || status === 407)
    return callFailure('wants_password', address, { status });
  if (status === 413) return callFailure('refused_size', address, { status });
  if (status >= 300 && status < 400) {
    return callFailure('not_comfyui', address, {
      status,
      detail: 'it redirects, and redirects are not followed',
    });
  }
  if (isProxyFault(status)) {
    return callFailure('unreachable', address, {
      status,
      detail: `a proxy in front of it answers ${status}`,
    });
  }
  if (status === 404 || status === 405)
    return callFailure('not_comfyui', address, { status, detail: `status ${status}` });
  return callFailure('bad_answer', address, { status, detail: `status ${status}` });
}

function causeOf(code: string): WorkerCallCause {
  const known = causeOfCode[code];
  if (known) return known;
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code))
    return 'tls_failed';
  if (code.startsWith('HPE_')) return 'not_comfyui';
  return 'broken_off';
}

/** Connecting to several addresses of one name fails with all their errors in one. */
function codeOf(error: unknown): string | null {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code } = first instanceof Error ? (first as NodeJS.ErrnoException) : {};
  return code ?? null;
}
