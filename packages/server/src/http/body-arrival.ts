import type { FastifyReply, FastifyRequest } from 'fastify';

/** Acts once: when the body of a request is here, or when the exchange is over without it. */
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
