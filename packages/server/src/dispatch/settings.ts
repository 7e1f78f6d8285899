import {
  type InstanceDefinition,
  maskedSecret,
  type ServerDefinition,
  type Settings,
  type SettingsInput,
} from '@switchyard/contract/dispatch/settings';

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
export function acceptSettings(input: SettingsInput, current: Settings): Omit<Settings, 'version'> {
  const servers = input.servers.map((server) => keepSecrets(server, storedServer(server.id, current)));
  const healthCheck = { ...initialSettings.healthCheck, ...input.healthCheck };
  return { servers, healthCheck };
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

function keepSecrets(server: ServerDefinition, stored: ServerDefinition | undefined): ServerDefinition {
  if (!server.headers) return server;
  const headers = Object.entries(server.headers).map(([name, value]) => {
    return [name, value === maskedSecret ? (stored?.headers?.[name] ?? value) : value];
  });
  return { ...server, headers: Object.fromEntries(headers) };
}

function storedServer(id: string, { servers }: Settings): ServerDefinition | undefined {
  return servers.find((server) => server.id === id);
}
