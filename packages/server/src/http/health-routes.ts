import { ok } from '@switchyard/contract/envelope';
import { getHealth, getLiveness, getReadiness } from '@switchyard/contract/meta';
import type { Routes } from './app.ts';
import type { Health } from './health.ts';

export function healthRoutes(health: Health): Routes {
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
      handler: async (_request, reply) => {
        const data = await health.service();
        if (data.database === 'connected') return ok(data);
        return reply.code(503).send({ code: 503, data });
      },
    });
  };
}
