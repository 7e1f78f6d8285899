import type { Readable } from 'node:stream';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { dropBody, type Outbound } from './outbound.ts';
import { type CallOutcome, postWebhook, whyUrlDenied } from './webhook-call.ts';

/** Posts a body under the rules about addresses; an address that may not be called is an error of the outcome. */
export async function guardedPost(
  outbound: Pick<Outbound, 'request'>,
  url: string,
  {
    allowPrivate,
    ...call
  }: { headers: Record<string, string>; body: string; allowPrivate: boolean; signal: AbortSignal },
): Promise<CallOutcome> {
  const policy = { allowPrivate };
  const why = whyUrlDenied(url, policy);
  return why === null ? postWebhook(outbound, url, { ...call, policy }) : { error: why };
}

/** Returns the content of an answer with status 200. Throws for every other answer. */
export async function guardedDownload(
  outbound: Pick<Outbound, 'request'>,
  url: string,
  { allowPrivate, signal }: { allowPrivate: boolean; signal: AbortSignal },
): Promise<Readable> {
  const policy = { allowPrivate };
  const why = whyUrlDenied(url, policy);
  if (why !== null) throw new AppError('path_denied', { message: say('address_denied', { cause: why }) });
  const headers = { 'user-agent': 'Switchyard' };
  const incoming = await outbound.request(new URL(url), { method: 'GET', headers, policy, signal });
  if (incoming.statusCode === 200) return incoming.body;
  dropBody(incoming);
  throw new Error(`The address answered ${incoming.statusCode}.`);
}
