import { getQueue, pauseQueue, resumeQueue } from '@switchyard/contract/dispatch/queue';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../http/access/actor.ts';
import { identityOf, isAdmin } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { QueueControl, QueueUser } from './queue-control.ts';

export function queueRoutes({ control }: { control: QueueControl }): Routes {
  return (app) => {
    app.route({
      ...getQueue,
      handler: async (request) => {
        const { limit = 200, cursor } = request.query;
        return ok(control.state(userOf(request), { limit, cursor }));
      },
    });

    app.route({
      ...pauseQueue,
      handler: async (request) => ok(await control.pause(userOf(request), request.body, actorOf(request))),
    });

    app.route({
      ...resumeQueue,
      handler: async (request) => ok(await control.resume(userOf(request), request.body, actorOf(request))),
    });
  };
}

function userOf(request: FastifyRequest): QueueUser {
  const identity = identityOf(request);
  return { userId: identity.userId, isAdmin: isAdmin(identity) };
}
