import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CloseStack } from '@switchyard/server/lib/close-stack';
import { startNginx } from './nginx.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { type RedisProcess, startRedis } from './redis.ts';
import { SpawnedGateway } from './spawned-gateway.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface ClusterOptions {
  replicas: number;
  /** Replaces the free port, which is the default for a test. */
  port?: number;
  /** Added to the environment of each replica. */
  env?: Record<string, string>;
  /** Added to the environment of the replica with this name. */
  envOf?: (name: string) => Record<string, string>;
  /** Postgres syncs to the disk as in production. */
  isDurable?: boolean;
  /** Replaces the Postgres that the tests of a run share. The caller stops it. */
  postgres?: PostgresServer;
  /** Returns the address under which the replicas reach Postgres, for a test that stands between them. */
  databaseThrough?: (url: string) => Promise<string>;
  /** Replaces the folder that all replicas share. */
  sharedHome?: string;
}

const configFile = fileURLToPath(new URL('../../../deploy/cluster/switchyard.yaml', import.meta.url));

/** For a machine on which other replicas are at work. */
const readyWithinMs = 300_000;

/** One replica: the built binary, which can be killed and started again at the same port and home. */
export class Replica {
  readonly name: string;
  readonly home: string;
  readonly #env: Record<string, string>;
  #gateway: SpawnedGateway;
  #port: number;

  private constructor(
    name: string,
    { home, env, gateway }: { home: string; env: Record<string, string>; gateway: SpawnedGateway },
  ) {
    this.name = name;
    this.home = home;
    this.#env = env;
    this.#gateway = gateway;
    this.#port = Number(new URL(gateway.url).port);
  }

  static async start(
    name: string,
    { home, env }: { home: string; env: Record<string, string> },
  ): Promise<Replica> {
    mkdirSync(home, { recursive: true });
    return new Replica(name, { home, env, gateway: await spawnReplica({ home, env, port: 0 }) });
  }

  get port(): number {
    return this.#port;
  }

  /** Its own address, beside that of nginx. */
  get url(): string {
    return this.#gateway.url;
  }

  get pid(): number {
    return this.#gateway.pid;
  }

  output(): string {
    return this.#gateway.output();
  }

  kill9(): Promise<void> {
    return this.#gateway.kill9();
  }

  signal(signal: NodeJS.Signals): void {
    this.#gateway.signal(signal);
  }

  /** Asks it to stop, and resolves when it has. */
  stop(): ReturnType<SpawnedGateway['stop']> {
    return this.#gateway.stop();
  }

  /** Starts it again. The port and the home stay the same. */
  async restart(): Promise<void> {
    this.#gateway = await spawnReplica({ home: this.home, env: this.#env, port: this.#port });
  }
}

export interface Cluster {
  /** The address of nginx, which clients use. */
  url: string;
  replicas: Replica[];
  redis: RedisProcess;
  databaseUrl: string;
  /** The folder that all replicas share. */
  sharedHome: string;
  /** The last lines of the error log of nginx. */
  proxyOutput(): string;
  stop(): Promise<void>;
}

/** Replicas behind nginx with Postgres and Redis, on loopback, with the configuration files that the guide shows. */
export async function startCluster({
  replicas: count,
  port,
  env = {},
  envOf = () => ({}),
  isDurable = false,
  postgres: givenPostgres,
  databaseThrough = async (url) => url,
  sharedHome: givenHome,
}: ClusterOptions): Promise<Cluster> {
  const folder = temporaryFolder();
  const opened = new CloseStack();
  opened.add(() => folder.remove());
  const stop = (): Promise<void> => opened.close();
  try {
    const postgres = givenPostgres ?? (await startPostgres({ isDurable }));
    const databaseUrl = await postgres.createDatabase();
    const redis = await startRedis();
    opened.add(() => redis.stop());
    const held = await holdPort();
    opened.add(() => held.release());
    const nginxPort = port ?? held.port;
    const sharedHome = givenHome ?? join(folder.path, 'shared');
    const environment = {
      ...replicaEnvironment({
        publicUrl: `http://127.0.0.1:${nginxPort}`,
        databaseUrl: await databaseThrough(databaseUrl),
        redisUrl: redis.url,
        sharedHome,
      }),
      ...env,
    };
    const replicas: Replica[] = [];
    opened.add(async () => void (await Promise.allSettled(replicas.map((replica) => replica.stop()))));
    for (let index = 0; index < count; index += 1) {
      const name = String.fromCharCode('a'.charCodeAt(0) + index);
      const own = { ...environment, ...envOf(name) };
      replicas.push(await Replica.start(name, { home: join(folder.path, name), env: own }));
    }
    await held.release();
    const nginx = await startNginx({
      folder: join(folder.path, 'nginx'),
      port: nginxPort,
      replicaPorts: replicas.map((replica) => replica.port),
    });
    opened.add(() => nginx.stop());
    return {
      url: nginx.url,
      replicas,
      redis,
      databaseUrl,
      sharedHome,
      proxyOutput: () => nginx.output(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns what a replica of `deploy/cluster/switchyard.yaml` reads of its environment. */
export function replicaEnvironment(addresses: {
  publicUrl: string;
  databaseUrl: string;
  redisUrl: string;
  sharedHome: string;
}): Record<string, string> {
  return {
    PUBLIC_URL: addresses.publicUrl,
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    SHARED_HOME: addresses.sharedHome,
    JWT_SECRET: randomBytes(24).toString('base64url'),
    TRUSTED_PROXY: '127.0.0.1',
  };
}

function spawnReplica({
  home,
  env,
  port,
}: {
  home: string;
  env: Record<string, string>;
  port: number;
}): Promise<SpawnedGateway> {
  const args = ['--port', String(port), '--config', configFile];
  return SpawnedGateway.start({ home, env, args, readyWithinMs });
}

/**
 * A port of loopback for a program that needs one in its settings. No other program is given it before it is released.
 */
export async function holdPort(): Promise<{ port: number; release(): Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    release: async () => {
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
