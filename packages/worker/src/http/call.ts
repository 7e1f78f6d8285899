import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  /** Without the `/api` prefix. */
  path: string;
  query: URLSearchParams;
  /** The value of `:name` in the route's path. */
  params: Record<string, string>;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path may end in one `:name`. */
  path: string;
  handle: (call: Call) => Promise<void> | void;
}

export function sendJson({ response }: Call, value: unknown, status = 200): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

export function sendText({ response }: Call, text: string, status = 200): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

export function sendEmpty({ response }: Call, status = 200): void {
  response.writeHead(status, { 'content-length': 0 });
  response.end();
}
