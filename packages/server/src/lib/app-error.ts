import { type ErrorCode, errorCatalogue, type Fault, statusOf } from '@switchyard/contract/errors';

interface AppErrorOptions {
  /** Replaces the catalogue's sentence. It says what is wrong and what to do. */
  message?: string;
  /** The id that the request named, for a renderer that says the same in other words. */
  named?: string;
  faults?: Fault[];
  details?: unknown;
  retryAfterSeconds?: number;
  /** Replaces the status of the code, for an answer that an operator's own code has decided. */
  status?: number;
  /** Sent with the response. */
  headers?: readonly (readonly [name: string, value: string | string[]])[];
  cause?: unknown;
}

/** The only error that domain code throws on purpose. Any other error becomes a 500 response. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly named: string | undefined;
  readonly faults: Fault[] | undefined;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: NonNullable<AppErrorOptions['headers']>;
  readonly status: number;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.named = options.named;
    this.faults = options.faults;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? [];
    this.status = options.status ?? statusOf(code);
  }
}

const passing: ReadonlySet<ErrorCode> = new Set([
  'database_unavailable',
  'database_busy',
  'storage_full',
  'shutting_down',
]);

/** Returns true for a temporary fault of the database or the disk; any other fault would only happen again. */
export function isPassing(error: unknown): boolean {
  return error instanceof AppError && passing.has(error.code);
}
