import type { Client } from '@switchyard/client/client';
import { ApiError } from '@switchyard/client/errors';
import type { InstanceKind } from '@switchyard/contract/dispatch/instance';
import {
  getSettings,
  replaceSettings,
  type ServerDefinition,
  type Settings,
} from '@switchyard/contract/dispatch/settings';
import { CommandError } from './exit-codes.ts';
import type { WorkerAddress } from './worker-address.ts';

export interface NewInstance {
  address: WorkerAddress;
  /**
   * The server's id. When absent, a server named after the host. A new server also gets this as its name, unless it is
   * given one.
   */
  serverId: string | undefined;
  /** Settings for a new server. An existing server takes only the headers, because they are sent to a new address. */
  server: { name?: string; kind?: InstanceKind; tags?: string[]; headers?: Record<string, string> };
  weight: number | undefined;
}

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

/** Returns the configuration with one more instance, in a new server unless there is one for its host. */
export function withInstance(settings: Settings, added: NewInstance): Settings {
  const { address, weight, server: facts } = added;
  const { ip, port, tls } = address;
  const instanceId = instanceIdOf(address);
  if (
    settings.servers.some((server) =>
      server.instances.some((instance) => instanceIdOf(instance) === instanceId),
    )
  ) {
    throw new CommandError('conflict', `${instanceId} is there already.`);
  }
  const id = added.serverId ?? serverIdFor(ip);
  const instance = { ip, port, ...(weight !== undefined && { weight }) };
  const existing = settings.servers.find((server) => server.id === id);
  if (!existing) {
    const { name = added.serverId ?? ip, kind = 'comfyui', ...rest } = facts;
    const server: ServerDefinition = { id, name, kind, ...(tls && { tls }), ...rest, instances: [instance] };
    return { ...settings, servers: [...settings.servers, server] };
  }
  const { headers, ...others } = facts;
  if (Object.keys(others).length > 0 || tls !== Boolean(existing.tls)) {
    throw new CommandError(
      'conflict',
      `The server ${id} exists with its own name, kind, tags and TLS. Name a new one with --server.`,
    );
  }
  const given = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
  const missing = Object.keys(existing.headers ?? {}).filter((name) => !given.includes(name.toLowerCase()));
  if (missing.length > 0) {
    throw new CommandError(
      'usage',
      `The server ${id} sends secret headers, which a new address gets only from you. Add ${missing.map((name) => `--header "${name}: …"`).join(' ')}.`,
    );
  }
  const grown = { ...existing, ...(headers && { headers }), instances: [...existing.instances, instance] };
  return { ...settings, servers: settings.servers.map((server) => (server === existing ? grown : server)) };
}

/** Returns the configuration without the instance, and without its server when that has no other instance. */
export function withoutInstance(settings: Settings, instanceId: string): Settings {
  const servers = settings.servers.map((server) => ({
    ...server,
    instances: server.instances.filter((instance) => instanceIdOf(instance) !== instanceId),
  }));
  const isThere = servers.some(
    ({ instances }, index) => instances.length !== settings.servers[index]?.instances.length,
  );
  if (!isThere) {
    throw new CommandError(
      'not_found',
      `The configuration has no instance ${instanceId}. (The built-in worker is not part of it and goes when a real one is added.)`,
    );
  }
  const emptied = (server: ServerDefinition, index: number) =>
    server.instances.length === 0 && settings.servers[index]?.instances.length !== 0;
  return { ...settings, servers: servers.filter((server, index) => !emptied(server, index)) };
}

export function instanceIdOf({ ip, port }: { ip: string; port: number }): string {
  return ip.includes(':') && !ip.startsWith('[') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** Keeps only characters that an id may contain. An id begins with a letter or a digit. */
function serverIdFor(ip: string): string {
  const id = ip.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 60);
  return /^[A-Za-z0-9]/.test(id) ? id : `ip${id}`;
}
