import { getSettings, replaceSettings } from '@switchyard/contract/dispatch/settings';
import { ok } from '@switchyard/contract/envelope';
import { actorOf } from '../../http/access/actor.ts';
import type { Routes } from '../../http/app.ts';
import type { Configuration } from './configuration.ts';

export function configurationRoutes({ configuration }: { configuration: Configuration }): Routes {
  return (app) => {
    app.route({
      ...getSettings,
      handler: async (_request, reply) => {
        const settings = configuration.masked;
        reply.header('etag', `"${settings.version}"`);
        return ok(settings);
      },
    });

    app.route({
      ...replaceSettings,
      config: { ...replaceSettings.config, moreFaults: (body: unknown) => configuration.faultsOf(body) },
      handler: async (request, reply) => {
        const settings = await configuration.replace(request.body, {
          ifMatch: request.headers['if-match'],
          by: actorOf(request),
        });
        reply.header('etag', `"${settings.version}"`);
        return ok(settings);
      },
    });
  };
}
