import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  testWebhook,
  updateWebhook,
} from '@switchyard/contract/dispatch/webhook';
import { ok } from '@switchyard/contract/envelope';
import { actorOf } from '../../http/access/actor.ts';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { WebhookTests } from './webhook-tests.ts';
import type { Webhooks } from './webhooks.ts';

export function webhookRoutes({ webhooks, tests }: { webhooks: Webhooks; tests: WebhookTests }): Routes {
  return (app) => {
    app.route({
      ...createWebhook,
      handler: async (request) => ok(await webhooks.create(actorOf(request), request.body)),
    });

    app.route({ ...listWebhooks, handler: async (request) => ok(await webhooks.list(ownerOf(request))) });

    app.route({
      ...getWebhook,
      handler: async (request) => ok(await webhooks.get(ownerOf(request), request.params.webhookId)),
    });

    app.route({
      ...updateWebhook,
      handler: async (request) =>
        ok(await webhooks.change(actorOf(request), request.params.webhookId, request.body)),
    });

    app.route({
      ...deleteWebhook,
      handler: async (request) => {
        const { webhookId } = request.params;
        await webhooks.delete(actorOf(request), webhookId);
        return ok({ id: webhookId });
      },
    });

    app.route({
      ...listDeliveries,
      handler: async (request) => {
        const { limit = 50, offset = 0 } = request.query;
        return ok(await webhooks.deliveries(ownerOf(request), request.params.webhookId, { limit, offset }));
      },
    });

    app.route({
      ...redeliver,
      handler: async (request) => {
        const { webhookId, deliveryId } = request.params;
        return ok(await webhooks.redeliver(ownerOf(request), webhookId, deliveryId));
      },
    });

    app.route({
      ...testWebhook,
      handler: async (request) => ok(await tests.run(ownerOf(request), request.params.webhookId)),
    });
  };
}
