import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceOver } from './exchange-end.ts';

/** Aborts when the connection closes before the response is complete. */
export function clientGone(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  onceOver({ request, reply }, () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
