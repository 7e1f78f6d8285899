import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ChannelNetwork } from '../channels/channel-network.ts';
import { postWebhook, whyUrlDenied } from '../dispatch/webhooks/webhook-call.ts';
import { AppError } from '../lib/app-error.ts';
import { guardedLookup, type HostPolicy } from '../platform/outbound/host-rules.ts';
import { webhookHeaders } from '../platform/outbound/webhook-signature.ts';

/** Channels sign and call like the webhooks of tasks, under the same rules about addresses. */
export const channelNetwork: ChannelNetwork = {
  sign: webhookHeaders,
  post: async (url, { allowPrivate, ...call }) => {
    const policy = { allowPrivate };
    const why = whyUrlDenied(url, policy);
    return why === null ? postWebhook(url, { ...call, policy }) : { error: why };
  },
  download: (url, { allowPrivate, signal }) => {
    const policy = { allowPrivate };
    const why = whyUrlDenied(url, policy);
    if (why !== null) throw new AppError('path_denied', { message: `The address may not be called. ${why}` });
    return get(url, policy, signal);
  },
};

/** Redirects are not followed, because they would avoid the check of the address. */
function get(url: string, policy: HostPolicy, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      headers: { 'user-agent': 'Switchyard' },
      lookup: guardedLookup(policy),
      signal,
      agent: false,
    });
    outgoing.once('response', (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.destroy();
      reject(new Error(`The address answered ${response.statusCode}.`));
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}
