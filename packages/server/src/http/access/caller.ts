import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../exchange/client-gone.ts';
import { clientNetwork, sourceOf, type TrustedProxies } from './client-ip.ts';
import { signedInUser } from './guard.ts';

/** The caller for whom something is computed that makes others wait. */
export interface Caller {
  /** The holder whose share it takes: a user, or the address of a stranger. */
  holder: string;
  /** Aborts when the client has disconnected. */
  gone: AbortSignal;
}

export function callingUser(request: FastifyRequest, reply: FastifyReply): Caller {
  return { holder: `user ${signedInUser(request)}`, gone: clientGone(request, reply) };
}

/** A caller who signs in or signs up. */
export interface Stranger extends Caller {
  clientIp: string;
  requestId: string;
}

export function callingStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  proxies: TrustedProxies,
): Stranger {
  const { clientIp } = sourceOf(request.raw, proxies);
  const requestId = request.id;
  return {
    clientIp,
    requestId,
    holder: `address ${clientNetwork(clientIp)}`,
    gone: clientGone(request, reply),
  };
}
