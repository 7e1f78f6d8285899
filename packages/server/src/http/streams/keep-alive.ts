import type { WebSocket } from 'ws';

/** Pings the client and ends a socket that leaves one ping unanswered until the next. Returns what stops it. */
export function keepAlive(socket: WebSocket, everyMs: number): () => void {
  let isAnswered = true;
  socket.on('pong', () => {
    isAnswered = true;
  });
  const timer = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, everyMs);
  return () => clearInterval(timer);
}
