import type { ServerDefinition, Settings } from '@switchyard/contract/dispatch/settings';

export interface WorkerAddress {
  ip: string;
  port: number;
  tls: boolean;
}

const defaultPort = 8188;
const maxPort = 65_535;

/** Reads what people type or paste: `192.168.1.20`, `box:8188`, `https://gpu.example.com`. Null when it is no address. */
export function parseAddress(text: string): WorkerAddress | null {
  const typed = text.trim();
  if (!typed || /\s/.test(typed)) return null;
  const withScheme = /^[a-z]+:\/\//i.test(typed) ? typed : `http://${typed}`;
  if (!URL.canParse(withScheme)) return null;
  const { protocol, hostname, port } = new URL(withScheme);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const tls = protocol === 'https:';
  const usual = tls ? 443 : /^[a-z]+:\/\//i.test(typed) ? 80 : defaultPort;
  const number = port === '' ? (/:80(\/|$)/.test(typed) ? 80 : usual) : Number(port);
  const ip = hostname.replace(/^\[|\]$/g, '');
  return ip && number >= 1 && number <= maxPort ? { ip, port: number, tls } : null;
}

/** The id that an instance with this address has. */
export function instanceIdOf({ ip, port }: { ip: string; port: number }): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
}

export interface NewWorker {
  address: WorkerAddress;
  name: string;
  tags: readonly string[];
}

/** The configuration with one more worker; null when the address is there already. */
export function withWorker(settings: Settings, { address, name, tags }: NewWorker): Settings | null {
  const instanceId = instanceIdOf(address);
  if (settings.servers.some(({ instances }) => instances.some((each) => instanceIdOf(each) === instanceId)))
    return null;
  const taken = new Set(settings.servers.map(({ id }) => id));
  const server: ServerDefinition = {
    id: freeId(name || `${address.ip}-${address.port}`, taken),
    name: name || address.ip,
    kind: 'comfyui',
    ...(address.tls && { tls: true }),
    ...(tags.length > 0 && { tags: [...tags] }),
    instances: [{ ip: address.ip, port: address.port }],
  };
  return { ...settings, servers: [...settings.servers, server] };
}

/** The configuration without an instance; its server goes with its last instance. */
export function withoutWorker(settings: Settings, instanceId: string): Settings {
  const servers = settings.servers.flatMap((server) => {
    const instances = server.instances.filter((each) => instanceIdOf(each) !== instanceId);
    if (instances.length === server.instances.length) return [server];
    return instances.length === 0 ? [] : [{ ...server, instances }];
  });
  return { ...settings, servers };
}

function freeId(wish: string, taken: ReadonlySet<string>): string {
  const base =
    wish
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 56) || 'worker';
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}
