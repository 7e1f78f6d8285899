import { Readable } from 'node:stream';
import { say } from '@switchyard/contract/sentences/sentences';
import type { Dispatcher } from 'undici';
import { WordedError } from '../../lib/app-error.ts';
import type { Fetch } from '../../lib/bounded-fetch.ts';
import type { HostPolicy } from './host-rules.ts';
import { dropBody, type GuardedRequest, type Outbound } from './outbound.ts';
import { whyUrlDenied } from './webhook-call.ts';

/** Returns a `fetch` that follows no redirect and connects to no forbidden address. */
export function guardedFetch(outbound: Pick<Outbound, 'request'>, policy: HostPolicy): Fetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    const why = whyUrlDenied(url.href, policy);
    if (why !== null) throw new WordedError(say('address_denied', { cause: why }));
    const { method = 'GET', body, signal } = init;
    if (body && typeof body !== 'string') throw new TypeError('Only text can be sent.');
    const incoming = await outbound.request(url, {
      method: method as GuardedRequest['method'],
      headers: Object.fromEntries(new Headers(init.headers)),
      body: body ?? null,
      policy,
      signal,
    });
    refuseRedirect(incoming);
    return responseOf(incoming);
  };
}

/** A redirect would lead to an address that the administrator has not allowed, and the headers would be sent there. */
function refuseRedirect(incoming: Dispatcher.ResponseData): void {
  const { statusCode } = incoming;
  if (statusCode < 300 || statusCode > 399) return;
  dropBody(incoming);
  throw new WordedError(say('server_leads_on', { status: statusCode }));
}

function responseOf({ statusCode, headers: given, body }: Dispatcher.ResponseData): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(given))
    for (const value of [values].flat()) headers.append(name, value);
  const hasNoBody = statusCode === 204 || statusCode === 205;
  if (hasNoBody) body.resume();
  const content = hasNoBody ? null : (Readable.toWeb(body) as ReadableStream<Uint8Array>);
  return new Response(content, { status: statusCode, headers });
}
