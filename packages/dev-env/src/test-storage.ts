import { join } from 'node:path';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

/** What a gateway needs to be one of several replicas. */
interface ReplicaStorage {
  config: {
    database: { backend: 'postgres'; url: string; pool_size: number };
    bus: { backend: 'redis'; url: string };
    files: { shared_home: string };
    auth: { jwt_secret: string };
  };
  stop(): Promise<void>;
}

/** A gateway that starts again in its home finds its database again. */
const databases = new Map<string, string>();

/**
 * Returns a database, a Redis and a shared folder for a gateway of a test when SWITCHYARD_TEST_STORAGE is `replica`, so that
 * tests of behaviour run on them as they are. Returns null otherwise.
 */
export async function replicaStorage(home: string): Promise<ReplicaStorage | null> {
  if (process.env.SWITCHYARD_TEST_STORAGE !== 'replica') return null;
  const url = databases.get(home) ?? (await (await startPostgres()).createDatabase());
  databases.set(home, url);
  const redis = await startRedis();
  return {
    config: {
      database: { backend: 'postgres', url, pool_size: 5 },
      bus: { backend: 'redis', url: redis.url },
      files: { shared_home: join(home, 'shared') },
      auth: { jwt_secret: 'one secret for all of the replicas, long enough' },
    },
    stop: () => redis.stop(),
  };
}
