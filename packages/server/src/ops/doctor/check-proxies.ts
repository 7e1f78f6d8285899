import type { Config } from '../../config/schema.ts';
import { trustedProxies } from '../../http/access/client-ip.ts';
import { isLoopbackHost } from '../../http/access/origin.ts';
import { type Finding, well, wrong } from './finding.ts';

type Settings = Pick<Config, 'server' | 'auth'>;

/** Compares the address that people call with the proxies whose headers are believed. */
export function checkProxies({ server, auth }: Settings): Finding[] {
  const { trusted_proxies: proxies } = auth;
  const everybody = proxies.find((entry) => /\/0+$/.test(entry));
  if (everybody !== undefined) {
    const says = `auth.trusted_proxies has ${everybody}, so every client can claim any address.`;
    return [
      wrong(
        'proxies',
        says,
        inFile('auth: { trusted_proxies: [127.0.0.1] }   # the addresses of your proxies'),
      ),
    ];
  }
  if (standsBehindProxy(server) && proxies.length === 0) {
    const says = `${server.public_url} leads to a proxy, and auth.trusted_proxies is empty: all people look like one client and lock each other out.`;
    return [
      wrong('proxies', says, inFile('auth: { trusted_proxies: [127.0.0.1] }   # where the proxy calls from')),
    ];
  }
  if (proxies.length > 0 && server.public_url === null) {
    const says =
      'auth.trusted_proxies is set and server.public_url is not, so links lead to the listener behind the proxy.';
    return [
      wrong(
        'proxies',
        says,
        inFile('server: { public_url: https://switchyard.example.com }   # what people call'),
      ),
    ];
  }
  if (proxies.length > 0 && isLoopbackHost(server.host) && !trustsLoopback(proxies)) {
    const says = `The gateway listens on ${server.host}, so its proxy calls from this machine, and auth.trusted_proxies does not have that address.`;
    return [wrong('proxies', says, inFile('auth: { trusted_proxies: [127.0.0.1, "::1"] }'))];
  }
  const how = proxies.length > 0 ? `behind ${proxies.join(', ')}` : 'without a proxy';
  return [well('proxies', `The gateway is called ${how}, and the settings agree.`)];
}

/** The gateway itself has no TLS and no other port than that of its listener. */
function standsBehindProxy({ public_url: url, port }: Config['server']): boolean {
  if (url === null) return false;
  const { protocol, port: named } = new URL(url);
  return protocol === 'https:' || Number(named || 80) !== port;
}

function trustsLoopback(proxies: readonly string[]): boolean {
  const trusted = trustedProxies(proxies);
  return trusted.includes('127.0.0.1') || trusted.includes('::1');
}

function inFile(lines: string): string {
  return `in switchyard.yaml: ${lines}`;
}
