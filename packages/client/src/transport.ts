import type { Credentials } from './credentials.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { readError } from './read-answer.ts';
import type { OutgoingRequest } from './request.ts';
import { type RetryPolicy, retryDelayMs } from './retry.ts';
import { sleep } from './timer.ts';

/** The part of the standard `fetch` that the client uses, so that any implementation works. */
export type Fetch = (url: string, request: FetchRequest) => Promise<Response>;

interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body?: NonNullable<OutgoingRequest['body']>;
  signal: AbortSignal;
  credentials: 'include' | 'omit';
  redirect: 'manual';
  duplex?: 'half';
}

/** Sends a request to the gateway, and sends it again when that is safe. Throws for every answer but a success. */
export class Transport {
  readonly #options;

  constructor(options: { baseUrl: string; credentials: Credentials; fetch: Fetch; retry: RetryPolicy }) {
    this.#options = options;
  }

  /** Returns the result of `read`. Until `read` has finished, the signal ends the exchange. */
  async exchange<Result>(
    request: OutgoingRequest,
    { signal, read }: { signal: AbortSignal; read: (response: Response) => Promise<Result> },
  ): Promise<Result> {
    const { method, headers, body } = request;
    const hasStreamBody = body instanceof ReadableStream;
    for (let triesDone = 1; ; triesDone += 1) {
      try {
        const response = await this.#send(request, signal);
        if (!response.ok) throw await readError(response);
        return await read(response);
      } catch (error) {
        // The signal has the reason of the abort; a fetch may wrap it.
        if (signal.aborted) throw signal.reason;
        const failure = this.#explain(error);
        const failed = { method, headers, hasStreamBody, triesDone };
        const delayMs = retryDelayMs(failure, failed, this.#options.retry);
        if (delayMs === null) throw failure;
        await sleep(delayMs, signal);
      }
    }
  }

  async #send({ method, path, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<Response> {
    const { baseUrl, credentials, fetch } = this.#options;
    const response = await fetch(baseUrl + path, {
      method,
      headers: { accept: 'application/json', ...credentials.headersFor(method), ...headers },
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
      signal,
      credentials: credentials.cookies ? 'include' : 'omit',
      redirect: 'manual',
    });
    credentials.cookies?.note(response);
    return response;
  }

  #explain(error: unknown): ApiError | ConnectionError {
    if (error instanceof ApiError || error instanceof ConnectionError) return error;
    const message = `Cannot reach ${this.#options.baseUrl}: ${plainCause(error)}.`;
    return new ConnectionError('unreachable', message, error);
  }
}

/** The server's bytes cannot be read as TLS. */
const noTls = 'it does not speak TLS; try http:// in place of https://';

const causes: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it does not answer',
  EPIPE: 'the connection broke',
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: noTls,
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_SOCKET: 'the connection broke',
};

/** Node's fetch hides the reason one or two causes deep; a browser gives none. */
function plainCause(error: unknown): string {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    const known = 'code' in cause ? causes[String(cause.code)] : undefined;
    if (known !== undefined) return known;
    if (cause.cause === undefined) return cause.message;
    cause = cause.cause;
  }
  return 'the connection failed';
}
