import { timingSafeEqual } from 'node:crypto';
import { getMetrics } from '@switchyard/contract/meta';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { headerToken } from '../access/bearer.ts';
import { clientIp, trustedProxies } from '../access/client-ip.ts';
import { isForeignName, isLoopbackAddress } from '../access/origin.ts';
import type { Routes } from '../app.ts';

interface MetricsRoutesOptions {
  metrics: Metrics;
  /** Opens the endpoint to callers that send it; null opens it to loopback only. */
  token: string | null;
}

/** The figures show how busy a gateway is and what it runs, so they are not public. */
export function metricsRoutes({ metrics, token }: MetricsRoutesOptions): Routes {
  return (app) => {
    app.route({
      ...getMetrics,
      handler: async (request, reply) => {
        if (!isLoopback(request) && !hasToken(request, token)) throw new AppError('not_authenticated');
        return reply.type(metrics.contentType).send(await metrics.render());
      },
    });
  };
}

const noProxies = trustedProxies([]);

/**
 * A reverse proxy on the same machine is loopback too, but its requests come from strangers. The same is true for a
 * page that has pointed a name of its own to this machine.
 */
function isLoopback({ raw, headers }: FastifyRequest): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  const peer = clientIp({ peer: raw.socket.remoteAddress, realIp: undefined }, noProxies);
  return !isForwarded && isLoopbackAddress(peer) && !isForeignName({ host: headers.host, peer, known: [] });
}

function hasToken({ headers }: FastifyRequest, token: string | null): boolean {
  const given = Buffer.from(headerToken(headers) ?? '');
  const expected = Buffer.from(token ?? '');
  return token !== null && given.length === expected.length && timingSafeEqual(given, expected);
}
