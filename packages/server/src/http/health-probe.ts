import type { FastifyRequest } from 'fastify';

/** A probe asks whether the gateway is alive or ready. It gets its answer also when the gateway is full. */
export function isProbe(request: FastifyRequest): boolean {
  const { url } = request.routeOptions;
  return url === '/healthz' || url === '/readyz';
}
