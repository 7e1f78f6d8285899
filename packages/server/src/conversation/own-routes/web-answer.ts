import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** The part of a response that the gateway sends. */
export interface WebAnswer {
  status: number;
  headers: [name: string, value: string | string[]][];
  /** Read as fast as the client reads it; null when there is none. */
  body: Readable | null;
}

/** The gateway decides about them: its connection, its request id, and which other sites may read. */
const gatewayHeaders =
  /^(connection|content-length|date|keep-alive|set-cookie|strict-transport-security|te|trailer|transfer-encoding|upgrade|x-request-id|access-control-.*)$/;

/** The body ends when the signal aborts. */
export function webAnswerOf({ status, headers, body }: Response, signal: AbortSignal): WebAnswer {
  return {
    status,
    headers: passedHeaders(headers),
    body: body === null ? null : Readable.fromWeb(body as ReadableStream, { signal }),
  };
}

/** The headers of an operator's own code that clients get. */
export function passedHeaders(headers: Headers): WebAnswer['headers'] {
  const passed = [...headers].filter(([name]) => !gatewayHeaders.test(name));
  const cookies = headers.getSetCookie();
  return [...passed, ...(cookies.length > 0 ? [['set-cookie', cookies] as [string, string[]]] : [])];
}
