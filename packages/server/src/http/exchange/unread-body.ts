import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './body-arrival.ts';

const graceMs = 1_000;
const lookEveryMs = 20;
const maxBytes = 16 * 1024 * 1024;

/**
 * For every request that is refused, by the shell or by a route that reads its body itself. The rest of a body must not
 * stay on the connection, because no request after it would be read. So even a client in the middle of a long upload
 * learns that it has to sign in again. The server itself reads a body to its end when no reader has begun.
 */
export function leaveBody(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (!hasBody(request) || request.readableEnded) return;
  const isBegun = request.readableFlowing !== null;
  if (isBegun || (status !== 401 && status !== 403)) discardBodyAfter(response, request);
}

/**
 * For a request that gets its response before its body has arrived. The rest is read and thrown away for a moment,
 * because a client that is still sending would lose the response if the connection closed. After a certain size of the
 * body no more is read, so that a client which only sends has to look at the response. A client that continues is cut
 * off.
 */
export function discardBodyAfter(response: ServerResponse, request: IncomingMessage): void {
  response.once('finish', () => discardBody(request));
}

function discardBody(request: IncomingMessage): void {
  const { socket } = request;
  const startedMs = performance.now();
  const startBytes = socket.bytesRead;
  request.unpipe();
  request.resume();
  const interval = setInterval(() => {
    const isOver = request.readableEnded || socket.destroyed;
    const isLate = performance.now() - startedMs > graceMs;
    if (socket.bytesRead - startBytes > maxBytes) socket.pause();
    if (isLate && !isOver) socket.destroy();
    if (isLate || isOver) clearInterval(interval);
  }, lookEveryMs);
}
