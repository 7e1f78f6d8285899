import type { IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { say } from '@switchyard/contract/sentences/sentences';
import { WordedError } from '../../lib/app-error.ts';
import type { Fetch } from '../../lib/bounded-fetch.ts';
import { guardedLookup, type HostPolicy } from './host-rules.ts';
import { requestFor, whyUrlDenied } from './webhook-call.ts';

/**
 * Returns a `fetch` that follows no redirect and connects to no forbidden address. The built-in one cannot check an address between
 * looking it up and connecting to it.
 */
export function guardedFetch(policy: HostPolicy): Fetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    const why = whyUrlDenied(url.href, policy);
    if (why !== null) throw new WordedError(say('address_denied', { cause: why }));
    const { method = 'GET', body, signal } = init;
    if (body && typeof body !== 'string') throw new TypeError('Only text can be sent.');
    const incoming = await exchange(url, {
      options: {
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        lookup: guardedLookup(policy),
        agent: false,
        ...(signal && { signal }),
      },
      body,
    });
    refuseRedirect(incoming);
    return responseOf(incoming);
  };
}

function exchange(
  url: URL,
  { options, body }: { options: RequestOptions; body: string | null | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = requestFor(url)(url, options);
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}

/** A redirect would lead to an address that the administrator has not allowed, and the headers would be sent there. */
function refuseRedirect(incoming: IncomingMessage): void {
  const { statusCode = 0 } = incoming;
  if (statusCode < 300 || statusCode > 399) return;
  incoming.destroy();
  throw new WordedError(say('server_leads_on', { status: statusCode }));
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode = 500, statusMessage = '', headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  const hasNoBody = statusCode === 204 || statusCode === 205;
  if (hasNoBody) incoming.resume();
  const body = hasNoBody ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
  return new Response(body, { status: statusCode, statusText: statusMessage, headers });
}
