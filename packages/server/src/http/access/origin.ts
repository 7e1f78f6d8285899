import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

interface Received {
  headers: IncomingHttpHeaders;
  encrypted: boolean;
  /** True when the peer is a trusted proxy. Only then are its forwarding headers believed. */
  viaTrustedProxy: boolean;
}

/** Returns the origin under which the client reached the gateway, or undefined when the request does not show it. */
export function ownOrigin(received: Received): string | undefined {
  const { proto, host } = addressOf(received);
  return host === undefined ? undefined : normalOrigin(`${proto}://${host}`);
}

export function isHttps(received: Received): boolean {
  return addressOf(received).proto === 'https';
}

/**
 * Returns whether a page at this `Origin` may call. A request without the header comes from no browser page and is
 * allowed. Anything unclear is denied.
 */
export function isOriginAllowed(
  origin: string | undefined,
  { own, listed }: { own: string | undefined; listed: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  const given = normalOrigin(origin);
  if (given === undefined) return false;
  return given === own || listed.some((entry) => normalOrigin(entry) === given);
}

/**
 * Returns whether a page may have pointed a name of its own at this machine (DNS rebinding): the request came over
 * loopback under a name that is neither localhost nor configured. A literal address cannot be pointed elsewhere.
 */
export function isForeignName({
  host,
  peer,
  known,
}: {
  host: string | undefined;
  /** The address at the other end of the socket. */
  peer: string;
  /** Origins that the configuration names. */
  known: readonly string[];
}): boolean {
  if (!isLoopbackAddress(peer)) return false;
  const name = hostnameOf(`http://${host}`);
  if (name === undefined) return true;
  const bare = name.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare) !== 0 || bare === 'localhost' || bare.endsWith('.localhost')) return false;
  return !known.some((origin) => hostnameOf(origin) === name);
}

/** Returns whether only this machine can reach the host, which is a name or an address without brackets. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

export function isLoopbackAddress(address: string): boolean {
  // A name may begin like an address.
  return address === '::1' || (address.startsWith('127.') && isIP(address) === 4);
}

function hostnameOf(text: string): string | undefined {
  const origin = normalOrigin(text);
  return origin === undefined ? undefined : new URL(origin).hostname;
}

function addressOf({ headers, encrypted, viaTrustedProxy }: Received): {
  proto: string;
  host: string | undefined;
} {
  const direct = { proto: encrypted ? 'https' : 'http', host: headers.host };
  if (!viaTrustedProxy) return direct;
  const forwarded = parseForwarded(headers.forwarded);
  const proto = forwarded.proto ?? firstOf(headers['x-forwarded-proto']) ?? direct.proto;
  const host = forwarded.host ?? firstOf(headers['x-forwarded-host']) ?? direct.host;
  const port = forwarded.host === undefined ? firstOf(headers['x-forwarded-port']) : undefined;
  return { proto: proto.toLowerCase(), host: host && port ? withPort(host, port) : host };
}

/** Returns the first hop of RFC 7239's header, which is the one nearest to the client. */
function parseForwarded(header: string | undefined): { proto?: string; host?: string } {
  const found: { proto?: string; host?: string } = {};
  for (const pair of firstOf(header)?.split(';') ?? []) {
    const [name = '', value = ''] = pair.split('=', 2).map((part) => part.trim());
    const text = value.replace(/^"(.*)"$/, '$1');
    if (name.toLowerCase() === 'proto' && text) found.proto = text;
    if (name.toLowerCase() === 'host' && text) found.host = text;
  }
  return found;
}

function firstOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(',', 1)[0]?.trim() || undefined;
}

function withPort(host: string, port: string): string {
  return /:\d+$/.test(host) || !/^\d{1,5}$/.test(port) ? host : `${host}:${port}`;
}

/**
 * Returns scheme, host and port without a default port; undefined for anything that is more, or less, than an origin.
 */
function normalOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text)) return undefined;
  try {
    return new URL(text).origin;
  } catch {
    return undefined;
  }
}
