import { isDeepStrictEqual } from 'node:util';
import {
  maskedSecret,
  type ServerDefinition,
  type Settings,
  type SettingsInput,
} from '@switchyard/contract/dispatch/settings';
import { instanceIdOf } from '@switchyard/contract/dispatch/worker-address';

/** The server that holds the embedded reference worker; it is not part of the configuration. */
export const builtInServerId = 'built-in';

export const initialSettings: Settings = {
  servers: [],
  healthCheck: { interval: 5, timeout: 2, failures: 2, capabilitiesInterval: 60 },
  version: 0,
};

/**
 * The settings that a sent configuration results in, given the present ones. `secretFaults` has checked the masked
 * secrets before.
 */
export function acceptSettings(input: SettingsInput, current: Settings): Omit<Settings, 'version'> {
  const servers = input.servers
    .map(withPlainPath)
    .map((server) => keepSecrets(server, storedServer(server, current)));
  const healthCheck = { ...initialSettings.healthCheck, ...input.healthCheck };
  return { servers, healthCheck };
}

/** The settings for answers: header values never leave the gateway. */
export function maskSettings(settings: Settings): Settings {
  return {
    ...settings,
    servers: settings.servers.map((server) =>
      server.headers
        ? {
            ...server,
            headers: Object.fromEntries(Object.keys(server.headers).map((name) => [name, maskedSecret])),
          }
        : server,
    ),
  };
}

/**
 * Says in words what part of a server has moved from where its secrets were given for; null when its addresses, its path
 * and its TLS are as stored.
 */
export function whatMoved(
  {
    instances,
    tls,
    basePath,
  }: { instances: readonly { ip?: unknown; port?: unknown }[]; tls?: unknown; basePath?: unknown },
  stored: ServerDefinition,
): string | null {
  if (!isDeepStrictEqual(tls ?? false, stored.tls ?? false)) return 'the TLS of this server is another';
  if (plainPath(String(basePath ?? '')) !== (stored.basePath ?? '')) {
    return 'the path of this server is another';
  }
  const known = new Set(stored.instances.map(instanceIdOf));
  const moved = instances
    .map(({ ip, port }) => instanceIdOf({ ip: String(ip), port: Number(port) }))
    .find((id) => !known.has(id));
  return moved === undefined ? null : `${moved} is a new address of this server`;
}

/** A path without the slash at its end, which people copy from a browser. */
export function plainPath(basePath: string): string {
  return basePath.replace(/\/+$/, '');
}

function withPlainPath({ basePath, ...server }: ServerDefinition): ServerDefinition {
  return { ...server, ...(basePath !== undefined && { basePath: plainPath(basePath) }) };
}

function keepSecrets(server: ServerDefinition, stored: ServerDefinition | undefined): ServerDefinition {
  if (!server.headers) return server;
  const headers = Object.entries(server.headers).map(([name, value]) => {
    return [name, value === maskedSecret ? (stored?.headers?.[name] ?? value) : value];
  });
  return { ...server, headers: Object.fromEntries(headers) };
}

/**
 * The stored server whose secrets a sent server may keep: a secret is only sent to the server that it was given for.
 */
function storedServer(sent: ServerDefinition, { servers }: Settings): ServerDefinition | undefined {
  const stored = servers.find(({ id }) => id === sent.id);
  return stored && whatMoved(sent, stored) === null ? stored : undefined;
}
