import {
  getInstance,
  listInstances,
  testInstance,
  updateInstance,
} from '@switchyard/contract/dispatch/instance';
import { ok } from '@switchyard/contract/envelope';
import type { Routes } from '../http/app.ts';
import type { Instances } from './instances.ts';

export function instanceRoutes({ instances }: { instances: Instances }): Routes {
  return (app) => {
    app.route({ ...listInstances, handler: async () => ok(await instances.list()) });

    app.route({
      ...getInstance,
      handler: async (request) => ok(await instances.get(request.params.instanceId)),
    });

    app.route({
      ...updateInstance,
      handler: async (request) =>
        ok(
          await instances.setEnabled(request.params.instanceId, {
            enabled: request.body.enabled,
            force: request.query.force ?? false,
          }),
        ),
    });

    app.route({
      ...testInstance,
      handler: async (request) => ok(await instances.test(request.params.instanceId)),
    });
  };
}
