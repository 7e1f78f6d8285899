interface ApiErrorOptions {
  status: number;
  code: string;
  message: string;
  details?: unknown;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
}

/** The gateway answered that it will not, or cannot. */
export class ApiError extends Error {
  /** Of the HTTP answer. */
  readonly status: number;
  /** Of the catalogue; where the gateway gave a sentence alone, the kind of error: `not_found`, `conflict`. */
  readonly code: string;
  /** For a request that is not valid: a list of `{ path, message }`. */
  readonly details: unknown;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor({ status, code, message, details, requestId, retryAfterSeconds }: ApiErrorOptions) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId ?? null;
    this.retryAfterSeconds = retryAfterSeconds ?? null;
  }
}

export type ConnectionFault = 'unreachable' | 'timed_out' | 'not_understood';

/** No answer of the gateway: nobody is there, it took too long, or something else answered. */
export class ConnectionError extends Error {
  readonly fault: ConnectionFault;

  constructor(fault: ConnectionFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.fault = fault;
  }
}
