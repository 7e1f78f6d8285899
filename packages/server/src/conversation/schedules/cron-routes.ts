import {
  countCrons,
  createCron,
  createThreadCron,
  deleteCron,
  patchCron,
  searchCrons,
} from '@switchyard/contract/conversation/crons';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { customUserOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Crons } from './crons.ts';

export function cronRoutes(mount: Mount, { crons }: { crons: Crons }): Routes {
  return (app) => {
    app.route({
      ...at(mount, createCron),
      handler: async (request) => {
        const requested = { body: request.body, authUser: customUserOf(request) };
        return crons.create(ownerOf(request), null, requested);
      },
    });

    app.route({
      ...at(mount, createThreadCron),
      handler: async (request) => {
        const requested = { body: request.body, authUser: customUserOf(request) };
        return crons.create(ownerOf(request), request.params.thread_id, requested);
      },
    });

    app.route({
      ...at(mount, searchCrons),
      handler: async (request) => crons.search(ownerOf(request), request.body),
    });

    app.route({
      ...at(mount, countCrons),
      handler: async (request) => crons.count(ownerOf(request), request.body),
    });

    app.route({
      ...at(mount, patchCron),
      handler: async (request) => {
        const requested = { body: request.body, authUser: customUserOf(request) };
        return crons.patch(ownerOf(request), request.params.cron_id, requested);
      },
    });

    app.route({
      ...at(mount, deleteCron),
      handler: async (request, reply) => {
        await crons.delete(ownerOf(request), request.params.cron_id);
        return reply.code(204).send(null);
      },
    });
  };
}
