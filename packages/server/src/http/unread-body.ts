import type { IncomingMessage, ServerResponse } from 'node:http';

const graceMs = 1_000;
const lookEveryMs = 20;
const mostBytes = 16 * 1024 * 1024;

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
    const isOver = request.complete || socket.destroyed;
    const isLate = performance.now() - startedMs > graceMs;
    if (socket.bytesRead - startBytes > mostBytes) socket.pause();
    if (isLate && !isOver) socket.destroy();
    if (isLate || isOver) clearInterval(interval);
  }, lookEveryMs);
}
