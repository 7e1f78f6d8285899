import type { FastifyReply, FastifyRequest } from 'fastify';

/** Aborts when the connection closes before the response is complete. */
export function clientGone({ raw: { socket } }: FastifyRequest, { raw: answer }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  answer.once('close', () => {
    if (!answer.writableFinished) gone.abort();
  });
  if (socket.destroyed) gone.abort();
  return gone.signal;
}
