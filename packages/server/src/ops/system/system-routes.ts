import { ok } from '@switchyard/contract/envelope';
import { getSystem, retryJob } from '@switchyard/contract/system';
import { actorOf } from '../../http/access/actor.ts';
import type { Routes } from '../../http/app.ts';
import type { System } from './system.ts';

export function systemRoutes({ system }: { system: System }): Routes {
  return (app) => {
    app.route({ ...getSystem, handler: async () => ok(await system.report()) });

    app.route({
      ...retryJob,
      handler: async (request) => {
        const { jobId } = request.params;
        return ok({ id: jobId, outcome: await system.retry(jobId, actorOf(request)) });
      },
    });
  };
}
