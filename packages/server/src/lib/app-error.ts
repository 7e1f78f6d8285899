import { type ErrorCode, errorCatalogue, type Fault, statusOf } from '@switchyard/contract/errors';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { sentencesOf, textOf, type Wording } from '@switchyard/contract/sentences/sentences';

interface AppErrorOptions {
  /** Replaces the catalogue's sentence. It says what is wrong and what to do. */
  message?: Wording;
  /** The id that the request named, for a renderer that says the same in other words. */
  named?: string;
  faults?: readonly Fault[];
  details?: unknown;
  retryAfterSeconds?: number;
  /** Replaces the status of the code, for an answer that an operator's own code has decided. */
  status?: number;
  /** Sent with the response. */
  headers?: readonly (readonly [name: string, value: string | string[]])[];
  cause?: unknown;
}

/** An error whose message is known as codes. */
export class WordedError extends Error {
  readonly sentences: readonly Sentence[];

  constructor(wording: Wording, options?: ErrorOptions) {
    super(textOf(wording), options);
    this.sentences = sentencesOf(wording);
  }
}

/** Returns what an error says: codes where it has them, its message otherwise. */
export function wordingOf(error: unknown): Wording {
  if (error instanceof WordedError) return error.sentences;
  return error instanceof Error ? error.message : String(error);
}

/** A fault with its message as text and as codes. */
export interface WordedFault extends Fault {
  message: string;
  sentences: readonly Sentence[];
}

/** The only error that domain code throws on purpose. Any other error becomes a 500 response. */
export class AppError extends WordedError {
  readonly code: ErrorCode;
  readonly named: string | undefined;
  readonly faults: WordedFault[] | undefined;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: NonNullable<AppErrorOptions['headers']>;
  readonly status: number;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.named = options.named;
    this.faults = options.faults?.map(wordedFault);
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? [];
    this.status = options.status ?? statusOf(code);
  }
}

/** A fault that an error had before has its codes already. */
function wordedFault(fault: Fault | WordedFault): WordedFault {
  if ('sentences' in fault) return fault;
  return { ...fault, message: textOf(fault.message), sentences: sentencesOf(fault.message) };
}

const passing: ReadonlySet<ErrorCode> = new Set([
  'database_unavailable',
  'database_busy',
  'storage_full',
  'file_store_unavailable',
  'shutting_down',
]);

/** Returns true for a temporary fault of the database, the disk or the store of files; any other fault would only happen again. */
export function isPassing(error: unknown): boolean {
  return error instanceof AppError && passing.has(error.code);
}

/** Returns an error and the errors that it wraps, the outermost first. */
export function causesOf<Cause extends object>(error: unknown): Cause[] {
  const causes: Cause[] = [];
  // An error may wrap itself.
  for (let next = error; typeof next === 'object' && next !== null && causes.length < 10; ) {
    causes.push(next as Cause);
    next = (next as { cause?: unknown }).cause;
  }
  return causes;
}
