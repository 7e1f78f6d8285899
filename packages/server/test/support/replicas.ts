import { join } from 'node:path';
import {
  type ConfigOverrides,
  type DevGateway,
  type GatewayOptions,
  startGateway,
} from '@switchyard/dev-env/gateway';
import { type PostgresServer, testPostgres } from '@switchyard/dev-env/postgres';
import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';

export interface Replicas {
  gateways: DevGateway[];
  redis: RedisProcess;
  sharedHome: string;
  /** What each replica has in its configuration. */
  config: ConfigOverrides;
  stop(): Promise<void>;
}

/** For tests of several replicas: their title, and whether this machine can run them. */
export function testReplicas(title: string): { title: string; isSkipped: boolean } {
  const needed = [testPostgres(title), testRedis(title)];
  return needed.find((each) => each.title !== title) ?? { title, isSkipped: false };
}

interface ReplicaOptions extends Pick<GatewayOptions, 'executionTimeouts'> {
  /** Replaces the Postgres that the tests of a run share. The caller stops it. */
  postgres?: PostgresServer;
}

/** Replicas in this process, each with a data home of its own, on one Postgres, one Redis and one shared folder. */
export async function startReplicas(
  count: number,
  more: ConfigOverrides = {},
  { postgres = testPostgres(''), ...options }: ReplicaOptions = {},
): Promise<Replicas> {
  const redis = await startRedis();
  const shared = temporaryFolder();
  const sharedHome = join(shared.path, 'shared');
  const config: ConfigOverrides = {
    ...more,
    database: { backend: 'postgres', url: await postgres.createDatabase(), pool_size: 5 },
    bus: { backend: 'redis', url: redis.url },
    files: { ...more.files, shared_home: sharedHome },
    skills: { path: join(sharedHome, 'skills') },
    auth: {
      bootstrap: 'interactive',
      jwt_secret: 'one secret for all of the replicas, long enough',
      ...more.auth,
    },
  };
  const gateways: DevGateway[] = [];
  for (let index = 0; index < count; index += 1) {
    gateways.push(await startGateway({ ...options, config }));
  }
  return {
    gateways,
    redis,
    sharedHome,
    config,
    stop: async () => {
      for (const gateway of gateways) await gateway.stop();
      await redis.stop();
      shared.remove();
    },
  };
}
