import { RedisServer, type RedisServerOptions } from '../src/platform/redis/redis-server.ts';

/** A connection to a Redis of tests, as one replica of a cluster would open it. */
export function openTestRedis(
  url: string,
  prefix = 'test',
  options: Partial<RedisServerOptions> = {},
): Promise<RedisServer> {
  return RedisServer.open({
    url,
    prefix,
    cluster: { database: 'database', secrets: () => ['secret'] },
    log: { info: () => undefined, warn: () => undefined },
    ...options,
  });
}
