import {
  getInstance,
  listInstances,
  testInstance,
  updateInstance,
} from '@switchyard/contract/dispatch/instance';
import { listInstanceEvents } from '@switchyard/contract/dispatch/instance-event';
import { ok } from '@switchyard/contract/envelope';
import { actorOf } from '../../http/access/actor.ts';
import { adminOrOwnerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Instances } from './instances.ts';

export function instanceRoutes({ instances }: { instances: Instances }): Routes {
  return (app) => {
    app.route({ ...listInstances, handler: async () => ok(await instances.list()) });

    app.route({
      ...getInstance,
      handler: async (request) => ok(await instances.get(request.params.instanceId)),
    });

    app.route({
      ...listInstanceEvents,
      handler: async (request) => {
        const { limit = 50, cursor } = request.query;
        const owner = adminOrOwnerOf(request);
        return ok(await instances.events(owner, request.params.instanceId, { limit, cursor }));
      },
    });

    app.route({
      ...updateInstance,
      handler: async (request) =>
        ok(
          await instances.setEnabled(request.params.instanceId, {
            enabled: request.body.enabled,
            force: request.query.force ?? false,
            actor: actorOf(request),
          }),
        ),
    });

    app.route({
      ...testInstance,
      handler: async (request) => ok(await instances.test(request.params.instanceId)),
    });
  };
}
