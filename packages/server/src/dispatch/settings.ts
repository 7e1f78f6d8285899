import {
  type InstanceDefinition,
  maskedSecret,
  type ServerDefinition,
  type Settings,
  type SettingsInput,
} from '@switchyard/contract/dispatch/settings';
import type { Fault } from '@switchyard/contract/errors';
import { whyHostDenied } from './host-rules.ts';

/** The server that holds the embedded reference worker; it is not part of the configuration. */
export const builtInServerId = 'built-in';

/** `<ip>:<port>`, an IPv6 address in brackets. */
export function instanceIdOf({ ip, port }: Pick<InstanceDefinition, 'ip' | 'port'>): string {
  return ip.includes(':') && !ip.startsWith('[') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

export const initialSettings: Settings = {
  servers: [],
  healthCheck: { interval: 5, timeout: 2, failures: 2 },
  version: 0,
};

/** What a configuration that was sent means, given the one in force: masked secrets keep their value. */
export function acceptSettings(
  input: SettingsInput,
  current: Settings,
): { settings: Omit<Settings, 'version'>; faults: Fault[] } {
  const faults = [...serverFaults(input.servers), ...instanceFaults(input.servers)];
  const servers = input.servers.map((server, index) => {
    const { server: accepted, missing } = keepSecrets(
      server,
      current.servers.find(({ id }) => id === server.id),
    );
    faults.push(
      ...missing.map((header) =>
        fault(
          ['servers', index, 'headers', header],
          `There is no stored value for "${maskedSecret}" to keep. Send the value.`,
        ),
      ),
    );
    return accepted;
  });
  const healthCheck = { ...initialSettings.healthCheck, ...input.healthCheck };
  return { settings: { servers, healthCheck }, faults };
}

/** For answers: header values never leave the gateway. */
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

function keepSecrets(
  server: ServerDefinition,
  stored: ServerDefinition | undefined,
): { server: ServerDefinition; missing: string[] } {
  if (!server.headers) return { server, missing: [] };
  const missing: string[] = [];
  const headers = Object.entries(server.headers).map(([name, value]) => {
    if (value !== maskedSecret) return [name, value];
    const kept = stored?.headers?.[name];
    if (kept === undefined) missing.push(name);
    return [name, kept ?? value];
  });
  return { server: { ...server, headers: Object.fromEntries(headers) }, missing };
}

function serverFaults(servers: readonly ServerDefinition[]): Fault[] {
  const seen = new Map<string, number>();
  return servers.flatMap(({ id }, index) => {
    if (id === builtInServerId) {
      return [
        fault(['servers', index, 'id'], `"${builtInServerId}" is the gateway's own worker. Use another id.`),
      ];
    }
    const first = seen.get(id);
    if (first !== undefined) {
      return [
        fault(['servers', index, 'id'], `"${id}" is already the id of servers[${first}]. Use another id.`),
      ];
    }
    seen.set(id, index);
    return [];
  });
}

function instanceFaults(servers: readonly ServerDefinition[]): Fault[] {
  const seen = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [serverIndex, server] of servers.entries()) {
    for (const [index, instance] of server.instances.entries()) {
      const path = ['servers', serverIndex, 'instances', index];
      const denied = whyHostDenied(instance.ip, { allowPrivate: true });
      if (denied) faults.push(fault([...path, 'ip'], `"${instance.ip}" ${denied}.`));
      const id = instanceIdOf(instance);
      const first = seen.get(id);
      if (first) faults.push(fault(path, `${id} is already ${first}. An address may stand here once.`));
      else seen.set(id, path.join('.'));
    }
  }
  return faults;
}

function fault(path: (string | number)[], message: string): Fault {
  return { in: 'body', path, message, type: 'value_error' };
}
