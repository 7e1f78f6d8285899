import type { InstanceKind } from '@switchyard/contract/dispatch/instance';
import {
  getSettings,
  replaceSettings,
  type ServerDefinition,
  type Settings,
} from '@switchyard/contract/dispatch/settings';
import { instanceIdOf, serverOf, type WorkerAddress } from '@switchyard/contract/dispatch/worker-address';
import type { Client } from './client.ts';
import { ApiError } from './errors.ts';

export interface NewInstance {
  address: WorkerAddress;
  /** The id of its server. When absent, it gets a server of its own, with an id and a name that are free. */
  serverId?: string | undefined;
  /** Settings for a new server. A server that is there takes only the headers, because they are sent to a new address. */
  server: { name?: string; kind?: InstanceKind; tags?: string[]; headers?: Record<string, string> };
  /** Trusts any certificate of a worker behind TLS. */
  anyCertificate?: boolean | undefined;
  weight?: number | undefined;
}

/** Why an instance cannot be added. */
export type InstanceRefusal =
  | { why: 'there'; instanceId: string }
  /** Its address belongs to a worker below another path. */
  | { why: 'other_path'; instanceId: string; path: string }
  /** The named server exists with other settings than the new instance needs. */
  | { why: 'server_differs'; serverId: string }
  /** The named server sends secret headers, which a new address gets only from the caller. */
  | { why: 'headers_needed'; serverId: string; names: string[] };

/**
 * The maximum number of tries: someone else may change the configuration between reading and writing, and then it is
 * read again.
 */
const tries = 3;

/** Reads the configuration, changes it and writes it back, unless someone else has written in the meantime. */
export async function changeSettings(
  { call }: Pick<Client, 'call'>,
  change: (settings: Settings) => Settings,
): Promise<Settings> {
  for (let tried = 1; ; tried += 1) {
    const settings = await call(getSettings);
    try {
      const headers = { 'if-match': `"${settings.version}"` };
      return await call(replaceSettings, { body: change(settings), headers });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tried === tries) throw error;
    }
  }
}

/** Returns what keeps an instance from being added; null when nothing does. */
export function refusalOf(settings: Settings, added: NewInstance): InstanceRefusal | null {
  const { address, serverId, server: facts, anyCertificate = false } = added;
  const instanceId = instanceIdOf(address);
  const holder = serverOf(settings, instanceId);
  if (holder) {
    const { basePath: path = '' } = holder;
    return path === address.basePath
      ? { why: 'there', instanceId }
      : { why: 'other_path', instanceId, path: path || '/' };
  }
  const existing = settings.servers.find(({ id }) => id === serverId);
  if (!existing || serverId === undefined) return null;
  const { headers: _, ...others } = facts;
  const isAsItIs =
    Object.keys(others).length === 0 &&
    !anyCertificate &&
    address.tls === Boolean(existing.tls) &&
    address.basePath === (existing.basePath ?? '');
  if (!isAsItIs) return { why: 'server_differs', serverId };
  const given = Object.keys(headersOf(added)).map((name) => name.toLowerCase());
  const names = Object.keys(existing.headers ?? {}).filter((name) => !given.includes(name.toLowerCase()));
  return names.length > 0 ? { why: 'headers_needed', serverId, names } : null;
}

/** Returns the configuration with one more instance, which `refusalOf` has not refused. */
export function withInstance(settings: Settings, added: NewInstance): Settings {
  const { address, serverId, server: facts, anyCertificate = false, weight } = added;
  const { ip, port, tls, basePath } = address;
  const instance = { ip, port, ...(weight !== undefined && { weight }) };
  const headers = headersOf(added);
  const hasHeaders = Object.keys(headers).length > 0;
  const existing = settings.servers.find(({ id }) => id === serverId);
  if (existing) {
    const grown = {
      ...existing,
      ...(hasHeaders && { headers }),
      instances: [...existing.instances, instance],
    };
    return { ...settings, servers: settings.servers.map((each) => (each === existing ? grown : each)) };
  }
  const { name = serverId ?? freeName(settings, address), kind = 'comfyui', tags } = facts;
  const server: ServerDefinition = {
    id: serverId ?? freeId(settings, name),
    name,
    kind,
    ...(tls && { tls: anyCertificate ? { verify: false } : true }),
    ...(basePath !== '' && { basePath }),
    ...(tags && { tags }),
    ...(hasHeaders && { headers }),
    instances: [instance],
  };
  return { ...settings, servers: [...settings.servers, server] };
}

/** Returns the configuration without the instance, and without its server when that has no other instance. */
export function withoutInstance(settings: Settings, instanceId: string): Settings {
  const servers = settings.servers.flatMap((server) => {
    const instances = server.instances.filter((each) => instanceIdOf(each) !== instanceId);
    if (instances.length === server.instances.length) return [server];
    return instances.length === 0 ? [] : [{ ...server, instances }];
  });
  return { ...settings, servers };
}

/** A header that is given as such counts before the user and the password in the address. */
function headersOf({ address, server: { headers = {} } }: NewInstance): Record<string, string> {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const others = Object.entries(address.headers).filter(([name]) => !given.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...headers };
}

/** The host, or the whole address when another server has the name of the host. */
function freeName({ servers }: Settings, address: WorkerAddress): string {
  return servers.some(({ name }) => name === address.ip) ? instanceIdOf(address) : address.ip;
}

/** Keeps only characters that an id may contain. An id begins with a letter or a digit. */
function freeId({ servers }: Settings, name: string): string {
  const base =
    name
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 56) || 'worker';
  const taken = new Set(servers.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}
