import { join } from 'node:path';
import { startPostgres } from '@switchyard/dev-env/postgres';
import { startRedis } from '@switchyard/dev-env/redis';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';

/** What replicas of one cluster have in common. */
export interface BenchCluster {
  /** The settings of each replica. */
  env: Record<string, string>;
  /** The address of the database. */
  database: string;
  /** Starts a further replica. */
  join(more?: Record<string, string>): Promise<SpawnedGateway>;
  close(): Promise<void>;
}

/** A cluster on one machine: a durable Postgres, a Redis and a shared folder. It has no replica yet. */
export async function startBenchCluster(
  env: Record<string, string> = {},
  { countsStatements = false } = {},
): Promise<BenchCluster> {
  const redis = await startRedis();
  const postgres = await startPostgres({ isDurable: true, countsStatements });
  const database = await postgres.createDatabase();
  const shared = temporaryFolder();
  const opened: { gateway: SpawnedGateway; remove: () => void }[] = [];
  const settings = {
    SWITCHYARD__DATABASE__BACKEND: 'postgres',
    SWITCHYARD__DATABASE__URL: database,
    SWITCHYARD__BUS__BACKEND: 'redis',
    SWITCHYARD__BUS__URL: redis.url,
    SWITCHYARD__FILES__SHARED_HOME: join(shared.path, 'shared'),
    SWITCHYARD__SKILLS__PATH: join(shared.path, 'shared', 'skills'),
    AUTH_JWT_SECRET: 'one secret for all of the replicas, long enough',
    ...env,
  };
  return {
    env: settings,
    database,
    join: async (more = {}) => {
      const home = temporaryFolder();
      const gateway = await SpawnedGateway.start({ home: home.path, env: { ...settings, ...more } });
      opened.push({ gateway, remove: home.remove });
      return gateway;
    },
    close: async () => {
      for (const { gateway, remove } of opened) {
        await gateway.stop();
        remove();
      }
      await redis.stop();
      shared.remove();
    },
  };
}
