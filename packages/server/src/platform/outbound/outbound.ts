import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, Pool, ProxyAgent, request as send } from 'undici';
import type { Fetch } from '../../lib/bounded-fetch.ts';
import { bareHost, guardedLookup, HostDeniedError, type HostPolicy, whyAddressDenied } from './host-rules.ts';
import { proxyFaultOf } from './proxy-fault.ts';
import { type ProxySettings, proxyFor } from './proxy-rules.ts';

export interface GuardedRequest {
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body?: string | null;
  policy: HostPolicy;
  signal?: AbortSignal | null | undefined;
}

/**
 * Calls to servers outside, directly or through the proxies of the configuration. Undici's agents check an address when they connect, and know how to speak to a proxy.
 */
export class Outbound {
  readonly #proxies: ProxySettings;
  readonly #dispatchers = new Map<string, Dispatcher>();

  constructor(proxies: ProxySettings) {
    this.#proxies = proxies;
  }

  /** A `fetch` for addresses that an administrator has configured, so no rule about hosts applies. */
  readonly fetch: Fetch = async (address, init) => {
    const proxy = proxyFor(new URL(address), this.#proxies);
    if (proxy === null) return fetch(address, init);
    try {
      // Node documents this field; the types of its own undici and of the package differ.
      const through = { ...init, dispatcher: this.#through(proxy) } as object;
      return await fetch(address, through);
    } catch (error) {
      throw proxyFaultOf(error, proxy) ?? error;
    }
  };

  /** Sends a request under the rules about hosts. Redirects are not followed, because they would avoid those rules. */
  async request(url: URL, { policy, signal, ...request }: GuardedRequest): Promise<Dispatcher.ResponseData> {
    const proxy = proxyFor(url, this.#proxies);
    if (proxy !== null) await refuseDenied(bareHost(url.hostname), policy);
    const dispatcher = proxy === null ? this.#guarded(policy) : this.#through(proxy);
    try {
      // Streams of events are silent for long, so the signal is the only limit.
      const limits = { headersTimeout: 0, bodyTimeout: 0 };
      return await send(url, { ...request, ...limits, signal: signal ?? null, dispatcher });
    } catch (error) {
      throw (proxy !== null && proxyFaultOf(error, proxy)) || error;
    }
  }

  async close(): Promise<void> {
    const opened = [...this.#dispatchers.values()];
    this.#dispatchers.clear();
    await Promise.all(opened.map((dispatcher) => dispatcher.destroy()));
  }

  /** Connections are not kept: the next call looks its host up again. */
  #guarded(policy: HostPolicy): Dispatcher {
    return this.#dispatcher(`allowPrivate ${policy.allowPrivate}`, () => {
      return new Agent({ connect: { lookup: guardedLookup(policy) }, pipelining: 0 });
    });
  }

  /** Only `https:` goes through a tunnel, because many proxies refuse tunnels to other ports. */
  #through(proxy: string): Dispatcher {
    return this.#dispatcher(proxy, () => {
      /** Undici says of a refused tunnel that the request was cancelled. */
      class Tunnels extends Pool {
        override async connect(
          options: Parameters<InstanceType<typeof Pool>['connect']>[0],
        ): Promise<Dispatcher.ConnectData> {
          const answer = await super.connect(options);
          if (answer.statusCode === 200) return answer;
          answer.socket.on('error', () => undefined).destroy();
          throw proxyFaultOf(answer.statusCode, proxy);
        }
      }
      return new ProxyAgent({
        uri: proxy,
        proxyTunnel: false,
        clientFactory: (origin, options) => new Tunnels(origin, options),
      });
    });
  }

  #dispatcher(key: string, make: () => Dispatcher): Dispatcher {
    const known = this.#dispatchers.get(key);
    if (known) return known;
    const dispatcher = make();
    this.#dispatchers.set(key, dispatcher);
    return dispatcher;
  }
}

/** Closes the connection without reading the rest of the answer. */
export function dropBody({ body }: Dispatcher.ResponseData): void {
  // Closing early is an error of the body, which no one reads.
  body.on('error', () => undefined).destroy();
}

/**
 * Throws when a name leads to an address that may not be called. A name that is not known here is left to the proxy: behind one, a
 * network often knows no names from outside.
 */
export async function refuseDenied(host: string, policy: HostPolicy): Promise<void> {
  if (isIP(host) !== 0) return;
  const found = await lookup(host, { all: true }).catch(() => []);
  const denied = found.find(({ address }) => whyAddressDenied(address, policy) !== null);
  if (denied) throw new HostDeniedError(host, denied.address);
}
