import { ok } from '@switchyard/contract/envelope';
import { getHealth, getLiveness, getReadiness } from '@switchyard/contract/meta';
import type { FastifyRequest } from 'fastify';
import type { Routes } from '../app.ts';
import type { Health } from './health.ts';

export function healthRoutes({
  health,
  isSignedIn,
}: {
  health: Health;
  /** Never throws. A caller who cannot be identified is a stranger. */
  isSignedIn: (request: FastifyRequest) => Promise<boolean>;
}): Routes {
  return (app) => {
    app.route({ ...getLiveness, handler: () => ({ status: 'ok' as const }) });

    app.route({
      ...getReadiness,
      handler: async (_request, reply) => {
        const readiness = await health.readiness();
        return reply.code(readiness.ready ? 200 : 503).send(readiness);
      },
    });

    app.route({
      ...getHealth,
      handler: async (request, reply) => {
        const data = await health.service({ withVersion: await isSignedIn(request) });
        if (data.database === 'connected') return ok(data);
        return reply.code(503).send({ code: 503, data });
      },
    });
  };
}
