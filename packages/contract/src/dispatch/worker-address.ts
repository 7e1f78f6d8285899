/** The address at which a worker answers, as a person writes it down. */
export interface WorkerAddress {
  ip: string;
  port: number;
  tls: boolean;
  /** The path below which it answers, such as `/comfy`; empty when it has the whole address. */
  basePath: string;
  /** The user and the password in the address, as the header that carries them. */
  headers: Record<string, string>;
}

interface HostAndPort {
  ip: string;
  port: number;
}

/** The port of ComfyUI, for an address that names only a host. */
const usualPort = 8188;

const segment = "(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~!$&'()*+,;=:@%-]+";
/** A path of whole segments, none of which is `.` or `..`. */
export const basePathPattern = `^(?:/${segment})+/?$`;

/**
 * Reads `192.168.1.20`, `box:8188`, `[::1]:8188`, and what a browser shows, such as
 * `https://user:password@gpu.example.com/comfy/`. Returns null when it is not an address of a worker.
 */
export function parseWorkerAddress(text: string): WorkerAddress | null {
  const typed = text.trim();
  const scheme = /^[a-z]+:\/\//i.exec(typed)?.[0] ?? '';
  const whole = scheme === '' ? `http://${typed}` : typed;
  if (/[\s\\]/.test(typed) || !URL.canParse(whole)) return null;
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(whole);
  const basePath = pathname.replace(/\/+$/, '');
  const isPath = basePath === '' || new RegExp(basePathPattern).test(basePath);
  if (!/^https?:$/.test(protocol) || hostname === '' || !isPath || search !== '' || hash !== '') return null;
  const tls = protocol === 'https:';
  const [authority = ''] = typed.slice(scheme.length).split('/');
  // A URL leaves out the port that is usual for its scheme, also when it was written.
  const unnamedPort = scheme !== '' || /:\d+$/.test(authority) ? (tls ? 443 : 80) : usualPort;
  const number = port === '' ? unnamedPort : Number(port);
  if (number === 0) return null;
  const credentials = decoded(`${username}:${password}`);
  if (credentials === null) return null;
  const headers = credentials === ':' ? {} : { Authorization: basicAuthorization(credentials) };
  return { ip: hostname.replace(/^\[|\]$/g, ''), port: number, tls, basePath, headers };
}

/** Returns the `Authorization` header of basic authentication for `user:password`. */
export function basicAuthorization(credentials: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(credentials)))}`;
}

/** Returns `<ip>:<port>`, with an IPv6 address in brackets. */
export function instanceIdOf({ ip, port }: HostAndPort): string {
  return ip.includes(':') && !ip.startsWith('[') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** The address of an instance in a browser. */
export function workerUrl(
  instance: HostAndPort,
  { tls = false, basePath = '' }: { tls?: boolean | object; basePath?: string },
): string {
  return `${tls === false ? 'http' : 'https'}://${instanceIdOf(instance)}${basePath}/`;
}

/** The server of a configuration to which this instance belongs. */
export function serverOf<Server extends { instances: readonly HostAndPort[] }>(
  { servers }: { servers: readonly Server[] },
  instanceId: string,
): Server | undefined {
  return servers.find(({ instances }) => instances.some((each) => instanceIdOf(each) === instanceId));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
