import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, type Wording, withDetail } from '@switchyard/contract/sentences/sentences';
import { wordingOf } from '../../lib/app-error.ts';
import { deadline } from '../../lib/async/deadline.ts';
import { connectionFaultOf } from './connection-fault.ts';
import { guardedLookup, HostDeniedError, type HostPolicy, whyHostDenied } from './host-rules.ts';

const deadlineMs = 15_000;

export type CallOutcome = { status: number } | { error: Wording };

/** Says in sentences what is wrong with the address of a webhook; null when it may be called. */
export function whyUrlDenied(url: string, policy: HostPolicy): Sentence[] | null {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return say('address_unreadable');
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return say('address_scheme');
  if (parsed.username || parsed.password) return say('address_credentials');
  const why = whyHostDenied(parsed.hostname, policy);
  if (why === null) return null;
  const isPrivate = whyHostDenied(parsed.hostname, { allowPrivate: true }) === null;
  return isPrivate ? [...why, ...say('private_addresses_setting')] : why;
}

/** Returns the `request` of the scheme of an address, which users also write in capitals. */
export function requestFor({ protocol }: URL): typeof httpRequest {
  return protocol === 'https:' ? httpsRequest : httpRequest;
}

/**
 * Sends one POST. Redirects are not followed, only the status of the answer is read, and the host is checked when it is
 * resolved.
 */
export function postWebhook(
  url: string,
  call: { headers: Record<string, string>; body: string; policy: HostPolicy; signal: AbortSignal },
): Promise<CallOutcome> {
  const address = new URL(url);
  return new Promise((resolve) => {
    const outgoing = requestFor(address)(address, {
      method: 'POST',
      headers: {
        ...call.headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(call.body),
        'user-agent': 'Switchyard',
      },
      lookup: guardedLookup(call.policy),
      signal: deadline(deadlineMs, call.signal).signal,
      agent: false,
    });
    outgoing.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0 });
      response.destroy();
    });
    outgoing.once('error', (error) => resolve({ error: describe(error) }));
    outgoing.end(call.body);
  });
}

function describe(error: Error): Wording {
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return say('no_answer_within', { seconds: deadlineMs / 1000 });
  if (error instanceof HostDeniedError || !('code' in error)) return wordingOf(error);
  const code = String(error.code);
  const fault = connectionFaultOf(code);
  return fault === null ? code : withDetail(say(`receiver_${fault}`), code);
}
