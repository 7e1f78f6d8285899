import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { bareHost } from './host-rules.ts';

export interface ProxySettings {
  /** The address of the proxy for `http:`, with its credentials; null without one. */
  http: string | null;
  /** The same for `https:`; null when the proxy for `http:` serves both. */
  https: string | null;
  /** Hosts that are called directly, as in NO_PROXY. */
  except: string | null;
  /** True when this machine itself is called through a proxy as well. */
  loopback: boolean;
}

export const noProxies: ProxySettings = { http: null, https: null, except: null, loopback: false };

/** Returns the address of the proxy through which a URL is called, or null when it is called directly. */
export function proxyFor(url: URL, { http, https, except, loopback }: ProxySettings): string | null {
  const isSecure = url.protocol === 'https:';
  const proxy = isSecure ? (https ?? http) : http;
  if (proxy === null) return null;
  const host = bareHost(url.hostname).toLowerCase();
  if (!loopback && isLoopback(host)) return null;
  const port = url.port || (isSecure ? '443' : '80');
  const entries = (except ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return entries.some((entry) => covers(entry, { host, port })) ? null : proxy;
}

function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'loopback';
  return host === 'localhost' || host.endsWith('.localhost');
}

/** An entry is a host with all below it, an address, a range such as `10.0.0.0/8`, each of the first two with a port, or `*`. */
function covers(entry: string, { host, port }: { host: string; port: string }): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isIP(host) !== 0 && isInRange(host, entry);
  const [, name = entry, ofPort] = (isIP(entry) === 0 && /^(.+):(\d+)$/.exec(entry)) || [];
  if (ofPort !== undefined && ofPort !== port) return false;
  const bare = bareHost(name).replace(/^\*?\./, '');
  return host === bare || host.endsWith(`.${bare}`);
}

function isInRange(host: string, range: string): boolean {
  if (!ipaddr.isValidCIDR(range)) return false;
  const address = ipaddr.process(host);
  const [start, bits] = ipaddr.parseCIDR(range);
  return address.kind() === start.kind() && address.match([start, bits] as [ipaddr.IPv4, number]);
}
