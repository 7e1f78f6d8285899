import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, type Wording, withDetail } from '@switchyard/contract/sentences/sentences';
import { WordedError, wordingOf } from '../../lib/app-error.ts';
import { deadline } from '../../lib/async/deadline.ts';
import { connectionFaultOf } from './connection-fault.ts';
import { type HostPolicy, whyHostDenied } from './host-rules.ts';
import { dropBody, type Outbound } from './outbound.ts';

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

/**
 * Sends one POST. Redirects are not followed, only the status of the answer is read, and the host is checked when it is
 * resolved.
 */
export async function postWebhook(
  outbound: Pick<Outbound, 'request'>,
  url: string,
  {
    headers,
    signal,
    ...call
  }: { headers: Record<string, string>; body: string; policy: HostPolicy; signal: AbortSignal },
): Promise<CallOutcome> {
  try {
    const incoming = await outbound.request(new URL(url), {
      ...call,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Switchyard' },
      signal: deadline(deadlineMs, signal).signal,
    });
    dropBody(incoming);
    return { status: incoming.statusCode };
  } catch (error) {
    return { error: describe(error) };
  }
}

function describe(error: unknown): Wording {
  if (!(error instanceof Error)) return wordingOf(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return say('no_answer_within', { seconds: deadlineMs / 1000 });
  if (error instanceof WordedError || !('code' in error)) return wordingOf(error);
  const code = String(error.code);
  const fault = connectionFaultOf(code);
  return fault === null ? code : withDetail(say(`receiver_${fault}`), code);
}
