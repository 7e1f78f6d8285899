import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from './body-arrival.ts';

const graceMs = 1_000;
const lookEveryMs = 20;
const mostBytes = 16 * 1024 * 1024;

/**
 * For every request that is refused, by the shell as well as by a route that reads its body itself. The rest of a body must
 * not stay on the connection: no request after it would be heard. A client that has to sign in again hears so in the middle
 * of a long upload, too: the server itself reads a body to its end that no reader has begun.
 */
export function leaveBody(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (!hasBody(request) || request.readableEnded) return;
  const isBegun = request.readableFlowing !== null;
  if (isBegun || (status !== 401 && status !== 403)) discardBodyAfter(response, request);
}

/**
 * For a request that is answered before its body has come in. The rest is read and thrown away for a moment: a connection
 * that is closed on a client in the middle of its sending takes the answer with it. Of a large body no more is read after a
 * while, so that a client which only sends has to look up. One that goes on is cut off.
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
    if (socket.bytesRead - startBytes > mostBytes) socket.pause();
    if (isLate && !isOver) socket.destroy();
    if (isLate || isOver) clearInterval(interval);
  }, lookEveryMs);
}
