import { RedisServer } from '@switchyard/server/platform/redis/redis-server';
import { RedisStreamLog } from '@switchyard/server/platform/stream-log/redis-stream-log';

export interface ReaderOrder {
  runs: string[];
}

export interface ReaderReport {
  delaysMs: number[];
  endedMs: number;
}

/** A moment that all processes of a machine measure alike. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The stream log of one replica of a cluster that exists for a measure. */
export async function openBenchLog(
  url: string,
): Promise<{ log: RedisStreamLog; close: () => Promise<void> }> {
  const silent = { info: () => undefined, warn: () => undefined };
  const cluster = { database: 'bench', secrets: () => ['bench'] };
  const redis = await RedisServer.open({ url, prefix: 'bench', cluster, log: silent });
  const log = await RedisStreamLog.open({ redis });
  return {
    log,
    close: async () => {
      await log.close();
      redis.close();
    },
  };
}
