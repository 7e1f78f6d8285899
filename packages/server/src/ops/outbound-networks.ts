import type { WebhookCaller } from '../conversation/runs/ending/run-webhooks.ts';
import { postWebhook, whyUrlDenied } from '../dispatch/webhooks/webhook-call.ts';
import type { HostPolicy } from '../platform/outbound/host-rules.ts';

/** Webhooks of runs are called like those of tasks, under the same rules about addresses. */
export function runWebhookCaller(policy: HostPolicy): WebhookCaller {
  return {
    whyDenied: (url) => whyUrlDenied(url, policy),
    post: (url, call) => postWebhook(url, { ...call, policy }),
  };
}
