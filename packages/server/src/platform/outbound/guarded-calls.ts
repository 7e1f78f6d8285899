import type { IncomingMessage } from 'node:http';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { guardedLookup, type HostPolicy } from './host-rules.ts';
import { type CallOutcome, postWebhook, requestFor, whyUrlDenied } from './webhook-call.ts';

/** Posts a body under the rules about addresses; an address that may not be called is an error of the outcome. */
export async function guardedPost(
  url: string,
  {
    allowPrivate,
    ...call
  }: { headers: Record<string, string>; body: string; allowPrivate: boolean; signal: AbortSignal },
): Promise<CallOutcome> {
  const policy = { allowPrivate };
  const why = whyUrlDenied(url, policy);
  return why === null ? postWebhook(url, { ...call, policy }) : { error: why };
}

/** Returns the content of an answer with status 200. Throws for every other answer. */
export async function guardedDownload(
  url: string,
  { allowPrivate, signal }: { allowPrivate: boolean; signal: AbortSignal },
): Promise<IncomingMessage> {
  const policy = { allowPrivate };
  const why = whyUrlDenied(url, policy);
  if (why !== null) throw new AppError('path_denied', { message: say('address_denied', { cause: why }) });
  return get(url, policy, signal);
}

/** Redirects are not followed, because they would avoid the check of the address. */
function get(url: string, policy: HostPolicy, signal: AbortSignal): Promise<IncomingMessage> {
  const address = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = requestFor(address)(address, {
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
