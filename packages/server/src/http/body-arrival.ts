import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Acts once: when the body of a request has arrived, or when the exchange ends without it. */
export function onceArrived(
  { request: { raw: incoming }, reply: { raw: answer } }: { request: FastifyRequest; reply: FastifyReply },
  act: () => void,
): void {
  const arrived = (): void => {
    incoming.off('end', arrived);
    answer.off('close', arrived);
    act();
  };
  incoming.once('end', arrived);
  answer.once('close', arrived);
}
