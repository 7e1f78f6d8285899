import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** Counts the bytes that pass through, and ends with 413 at the limit, before it keeps more. */
export async function* limitedBody(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes, announced);
  let received = 0;
  // An early return must not destroy the socket, because the answer is still sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    received += (chunk as Buffer).length;
    if (received > maxBytes) throw tooLarge(maxBytes, received);
    yield chunk as Buffer;
  }
}

export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of limitedBody(request, maxBytes)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Lets the sender finish, up to a limit, so that it reads the answer instead of a reset. */
export function drain(request: IncomingMessage, maxBytes: number): void {
  let left = maxBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
}

function tooLarge(maxBytes: number, actual: number): HttpError {
  return new HttpError(413, `Maximum request body size ${maxBytes} exceeded, actual body size ${actual}`);
}
