import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceOver } from './exchange-end.ts';

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Acts once: when the body of a request has arrived, or when the exchange ends without it. */
export function onceArrived(
  exchange: { request: FastifyRequest; reply: FastifyReply },
  act: () => void,
): void {
  const incoming = exchange.request.raw;
  let isOver = false;
  const arrived = (): void => {
    if (isOver) return;
    isOver = true;
    incoming.off('end', arrived);
    act();
  };
  incoming.once('end', arrived);
  onceOver(exchange, arrived);
}
