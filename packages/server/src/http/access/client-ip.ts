import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The peers whose forwarding headers are believed. */
export interface TrustedProxies {
  includes(peer: string | undefined): boolean;
}

/** An entry that is neither an address nor a CIDR range trusts no one. The configuration refuses it earlier. */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const ranges: [Address, number][] = [];
  for (const entry of entries.map((text) => text.trim()).filter((text) => text !== '')) {
    const range = parseRange(entry);
    if (range) ranges.push(range);
  }
  return {
    includes(peer) {
      const address = parseAddress(peer);
      if (!address) return false;
      return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
    },
  };
}

/** Returns the network of one client: an address, or the /64 of an IPv6 client, who can use any address in it. */
export function clientNetwork(ip: string): string {
  return isIPv6(ip) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${ip}/64`)}/64` : ip;
}

interface Connection {
  /** The address at the other end of the socket. */
  peer: string | undefined;
  /** The header `X-Real-IP`. `X-Forwarded-For` is never used. */
  realIp: string | string[] | undefined;
}

/**
 * Returns the client's address in its canonical spelling, so that different spellings cannot look like many clients.
 */
export function clientIp({ peer, realIp }: Connection, proxies: TrustedProxies): string {
  if (typeof realIp === 'string' && proxies.includes(peer)) {
    const claimed = parseAddress(realIp);
    if (claimed) return claimed.toString();
  }
  return parseAddress(peer)?.toString() ?? 'unknown';
}

/** The facts of the socket about the origin of a request, and whether its forwarding headers are believed. */
export interface RequestSource {
  clientIp: string;
  encrypted: boolean;
  viaTrustedProxy: boolean;
}

export function sourceOf({ socket, headers }: IncomingMessage, proxies: TrustedProxies): RequestSource {
  const peer = socket.remoteAddress;
  return {
    clientIp: clientIp({ peer, realIp: headers['x-real-ip'] }, proxies),
    encrypted: socket instanceof TLSSocket,
    viaTrustedProxy: proxies.includes(peer),
  };
}

function parseAddress(text: string | undefined): Address | undefined {
  const bare = text?.trim().replace(/%.*$/, '');
  if (!bare) return undefined;
  const fourParts = parseFourParts(bare);
  if (fourParts) return fourParts;
  if (!isIPv6(bare)) return undefined;
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Decimal only: `010.0.0.1` is 10.0.0.1 with a leading zero, not the octal 8.0.0.1. */
function parseFourParts(text: string): ipaddr.IPv4 | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return undefined;
  const octets = match.slice(1).map(Number);
  return octets.every((octet) => octet <= 255) ? new ipaddr.IPv4(octets) : undefined;
}

function parseRange(entry: string): [Address, number] | undefined {
  const [base = '', prefix, ...rest] = entry.split('/');
  const address = parseAddress(base);
  if (!address || rest.length > 0) return undefined;
  const width = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return [address, width];
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  return bits <= width ? [address, bits] : undefined;
}
