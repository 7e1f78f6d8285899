import type { ChannelNetwork } from '../channels/channel-network.ts';
import type { McpNetwork } from '../conversation/mcp/mcp-network.ts';
import type { WebhookCaller } from '../conversation/runs/ending/run-webhooks.ts';
import type { Fetch } from '../lib/bounded-fetch.ts';
import { guardedDownload, guardedPost } from '../platform/outbound/guarded-calls.ts';
import { guardedFetch } from '../platform/outbound/guarded-fetch.ts';
import type { HostPolicy } from '../platform/outbound/host-rules.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { postWebhook, whyUrlDenied } from '../platform/outbound/webhook-call.ts';
import { webhookHeaders } from '../platform/outbound/webhook-signature.ts';

/** The guarded calls of each feature that calls other servers. */

/** MCP servers often live in private networks, like workers. */
const mcpPolicy: HostPolicy = { allowPrivate: true };

export function mcpNetwork(outbound: Outbound): McpNetwork {
  return { whyDenied: (url) => whyUrlDenied(url, mcpPolicy), fetch: guardedFetch(outbound, mcpPolicy) };
}

/** Channels sign and call like the webhooks of tasks. */
export function channelNetwork(outbound: Outbound): ChannelNetwork {
  return {
    sign: webhookHeaders,
    post: (url, call) => guardedPost(outbound, url, call),
    download: (url, options) => guardedDownload(outbound, url, options),
    fetch: outbound.fetch,
  };
}

/** Webhooks of runs are called like those of tasks. */
export function runWebhookCaller(outbound: Outbound, policy: HostPolicy): WebhookCaller {
  return {
    whyDenied: (url) => whyUrlDenied(url, policy),
    post: (url, { headers, body, signal }) => postWebhook(outbound, url, { headers, body, policy, signal }),
  };
}

/** Strangers choose the addresses of what clients publish about themselves. */
export function clientDocuments(outbound: Pick<Outbound, 'request'>): Fetch {
  return guardedFetch(outbound, { allowPrivate: false });
}
