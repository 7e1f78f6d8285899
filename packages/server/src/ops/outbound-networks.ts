import type { ChannelNetwork } from '../channels/channel-network.ts';
import type { McpNetwork } from '../conversation/mcp/mcp-network.ts';
import type { WebhookCaller } from '../conversation/runs/ending/run-webhooks.ts';
import { guardedDownload, guardedPost } from '../platform/outbound/guarded-calls.ts';
import { guardedFetch } from '../platform/outbound/guarded-fetch.ts';
import type { HostPolicy } from '../platform/outbound/host-rules.ts';
import { postWebhook, whyUrlDenied } from '../platform/outbound/webhook-call.ts';
import { webhookHeaders } from '../platform/outbound/webhook-signature.ts';

/** The guarded calls of each feature that calls other servers. */

/** MCP servers often live in private networks, like workers. */
const mcpPolicy: HostPolicy = { allowPrivate: true };

export const mcpNetwork: McpNetwork = {
  whyDenied: (url) => whyUrlDenied(url, mcpPolicy),
  fetch: guardedFetch(mcpPolicy),
};

/** Channels sign and call like the webhooks of tasks. */
export const channelNetwork: ChannelNetwork = {
  sign: webhookHeaders,
  post: guardedPost,
  download: guardedDownload,
};

/** Webhooks of runs are called like those of tasks. */
export function runWebhookCaller(policy: HostPolicy): WebhookCaller {
  return {
    whyDenied: (url) => whyUrlDenied(url, policy),
    post: (url, { headers, body, signal }) => postWebhook(url, { headers, body, policy, signal }),
  };
}
