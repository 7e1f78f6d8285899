import type { DispatchParts } from '../dispatch-parts.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { WebhookStore } from './webhook-store.ts';
import { WebhookTests } from './webhook-tests.ts';
import { Webhooks } from './webhooks.ts';

export function createWebhooks(
  parts: Pick<
    DispatchParts,
    | 'database'
    | 'outbound'
    | 'jobs'
    | 'events'
    | 'links'
    | 'audit'
    | 'metrics'
    | 'traces'
    | 'clock'
    | 'steadyClock'
    | 'log'
    | 'options'
  >,
) {
  const store = new WebhookStore(parts.database);
  const policy = { allowPrivate: parts.options.webhooksToPrivateAddresses };
  const webhooks = new Webhooks({ ...parts, store, policy });
  parts.events.listenHere((event) => {
    if (event.type === 'task_ended') webhooks.wake(event.task.id);
  });
  const tests = new WebhookTests({ ...parts, store, policy });
  return { webhooks, webhookStore: store, webhookRoutes: webhookRoutes({ webhooks, tests }) };
}
