import {
  countCrons,
  createCron,
  createThreadCron,
  deleteCron,
  patchCron,
  searchCrons,
} from '@switchyard/contract/conversation/crons';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Crons } from './crons.ts';

export function cronRoutes(mount: Mount, { crons }: { crons: Crons }): Routes {
  return (app) => {
    app.route({
      ...at(mount, createCron),
      handler: async (request) => crons.create(ownerOf(request), null, request.body),
    });

    app.route({
      ...at(mount, createThreadCron),
      handler: async (request) => crons.create(ownerOf(request), request.params.thread_id, request.body),
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
      handler: async (request) => crons.patch(ownerOf(request), request.params.cron_id, request.body),
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
