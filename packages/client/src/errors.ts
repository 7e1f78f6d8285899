import type { Sentence } from '@switchyard/contract/sentences/sentence';

interface ApiErrorParts {
  status: number;
  code: string;
  message: string;
  details?: unknown;
  sentences?: Sentence[];
  requestId?: string | null;
  retryAfterSeconds?: number | null;
}

/** The gateway answered with an error. */
export class ApiError extends Error {
  /** The status of the HTTP answer. */
  readonly status: number;
  /**
   * The code of the catalogue. When the gateway sent only a sentence, the kind of the error: `not_found`, `conflict`.
   */
  readonly code: string;
  /** For an invalid request: a list of `{ path, message }`. */
  readonly details: unknown;
  /** The message as codes with values, where it has some. */
  readonly sentences: readonly Sentence[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor({ status, code, message, details, sentences, requestId, retryAfterSeconds }: ApiErrorParts) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.sentences = sentences ?? [];
    this.requestId = requestId ?? null;
    this.retryAfterSeconds = retryAfterSeconds ?? null;
  }
}

export type ConnectionFault = 'unreachable' | 'timed_out' | 'not_understood';

/** The gateway did not answer: it is not reachable, it took too long, or another server answered. */
export class ConnectionError extends Error {
  readonly fault: ConnectionFault;

  constructor(fault: ConnectionFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.fault = fault;
  }
}
