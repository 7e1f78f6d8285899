import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say } from '@switchyard/contract/sentences/sentences';
import ipaddr from 'ipaddr.js';
import { WordedError } from '../../lib/app-error.ts';

/**
 * Workers live in private networks, so those are allowed for them. A webhook goes wherever a user sends it, so for it
 * they are not.
 */
export interface HostPolicy {
  allowPrivate: boolean;
}

/** Addresses at which clouds answer with credentials; those in link-local space are refused with the whole range. */
const metadataAddresses = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);
const metadataNames = /^(metadata|instance-data)(\.|$)|\.metadata\.|^metadata\.google\.internal\.?$/i;

const privateRanges = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/** Says in a sentence why a host that somebody configured may not be called; null when it may be. */
export function whyHostDenied(host: string, policy: HostPolicy): Sentence[] | null {
  const bare = bareHost(host);
  if (isIP(bare) !== 0) return whyAddressDenied(bare, policy);
  if (metadataNames.test(bare)) return say('host_metadata_name', { host: bare });
  const canonical = canonicalHost(bare);
  if (canonical === null) return say('host_unreadable', { given: host });
  // Old notations (hex, octal, one number) reach the same places as the plain one and hide which.
  if (isIP(canonical) !== 0) return say('host_notation', { host: bare, plain: canonical });
  if (canonical !== bare.toLowerCase()) return say('host_spelling', { host: bare, plain: canonical });
  return null;
}

/** Returns the host to connect to: an IPv6 address without the brackets that it has in a URL. */
export function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** Says in a sentence why an address, wherever it came from, may not be called; null when it may be. */
export function whyAddressDenied(address: string, { allowPrivate }: HostPolicy): Sentence[] | null {
  if (!ipaddr.isValid(address)) return say('host_unreadable', { given: address });
  const inner = embeddedAddress(ipaddr.parse(address));
  const text = inner.toString();
  if (metadataAddresses.has(text)) return say('host_metadata', { host: address });
  const range = inner.range();
  if (range === 'unicast') return null;
  if (privateRanges.has(range)) return allowPrivate ? null : say('host_private', { host: address });
  return say(refusedRanges[range] ?? 'host_reserved', { host: address });
}

type RangeCode = 'host_unspecified' | 'host_link_local' | 'host_multicast' | 'host_broadcast';

const refusedRanges: Partial<Record<string, RangeCode>> = {
  unspecified: 'host_unspecified',
  linkLocal: 'host_link_local',
  multicast: 'host_multicast',
  broadcast: 'host_broadcast',
};

/**
 * Resolves names as the system does and drops every address that may not be called: checked when connecting, so a name
 * that pointed elsewhere when it was configured gains nothing.
 */
export function guardedLookup(
  policy: HostPolicy,
  lookup: typeof systemLookup = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    const fail = (error: NodeJS.ErrnoException) => callback(error, options.all ? [] : '');
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return fail(error);
      const allowed = found.filter(({ address }) => whyAddressDenied(address, policy) === null);
      const [first] = allowed;
      if (!first) return fail(new HostDeniedError(hostname, found[0]?.address));
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

export class HostDeniedError extends WordedError {
  readonly code = 'EHOSTDENIED';

  constructor(hostname: string, address: string | undefined) {
    super(say('leads_elsewhere', { host: hostname, address: address ?? 'nowhere' }));
    this.name = 'HostDeniedError';
  }
}

function canonicalHost(host: string): string | null {
  if (!/^[a-z0-9._-]{1,253}$/i.test(host)) return null;
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return null;
  }
}

/** An IPv6 address that carries an IPv4 one leads there. */
function embeddedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const bytes = address.toByteArray();
  if (address.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  const isCompatible =
    bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0);
  return address.range() === 'rfc6052' || isCompatible ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
