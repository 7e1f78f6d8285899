import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  request: { raw: IncomingMessage };
  reply: { raw: ServerResponse };
}

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Acts once: when the response is complete, or its connection has ended. A response that waits for others on its
 * connection emits no event when that ends.
 */
export function onceOver({ request, reply }: Exchange, act: () => void): void {
  const { socket } = request.raw;
  const onConnection = waiting.get(socket) ?? watch(socket);
  const end = (): void => {
    if (!onConnection.delete(end)) return;
    reply.raw.off('close', end);
    act();
  };
  onConnection.add(end);
  reply.raw.once('close', end);
  if (socket.destroyed) end();
}

function watch(socket: Socket): Set<() => void> {
  const ends = new Set<() => void>();
  waiting.set(socket, ends);
  socket.once('close', () => {
    for (const end of [...ends]) end();
  });
  return ends;
}
