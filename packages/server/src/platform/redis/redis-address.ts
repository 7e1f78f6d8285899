/** The address of a Redis server, as `bus.url` has it. */
export interface RedisAddress {
  target: RedisTarget;
  /** The address without user and password, for messages. */
  shown: string;
}

interface RedisTarget {
  host?: string;
  port?: number;
  /** The path of a unix socket. */
  path?: string;
  username?: string;
  password?: string;
  db: number;
  tls?: { servername: string };
}

/** `url` has passed the check of the configuration. */
export function redisAddress(url: string): RedisAddress {
  if (url.startsWith('/')) return { target: { path: url, db: 0 }, shown: url };
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const account = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  if (protocol === 'unix:') {
    const path = decodeURIComponent(pathname);
    return { target: { path, ...account, db: 0 }, shown: path };
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = port === '' ? 6379 : Number(port);
  const tls = protocol === 'rediss:' ? { tls: { servername: host } } : {};
  return {
    target: { host, port: number, ...account, db: Number(pathname.slice(1)), ...tls },
    shown: `${hostname}:${number}`,
  };
}
