import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fields } from '@switchyard/server/config/keys';
import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import type { Context } from '@switchyard/server/context';
import type { ExecutionTimeouts } from '@switchyard/server/dispatch/attempts/execution-timeouts';
import type { Logger } from '@switchyard/server/platform/telemetry/logger';
import { testedPackage } from './binary.ts';
import { HttpSession } from './http-session.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { SpawnedGateway } from './spawned-gateway.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Any part of the configuration, as it would stand after loading: durations in milliseconds, sizes in bytes. */
export type ConfigOverrides = { [Key in keyof Config]?: Overrides<Config[Key]> };
type Overrides<Value> = Value extends readonly unknown[] | string | number | boolean | null
  ? Value
  : { [Key in keyof Value]?: Overrides<Value[Key]> };

export interface GatewayOptions {
  /** Kept when the gateway stops; without it a new one is made and removed. */
  home?: string;
  config?: ConfigOverrides;
  executionTimeouts?: Partial<ExecutionTimeouts>;
  /** The folder with `langgraph.json`. */
  agentsFolder?: string;
  /** Agents are loaded again when their files change, as with `switchyard dev`. */
  watchAgents?: boolean;
  /** The built web console, for a test in a browser. */
  consoleFolder?: string;
  /** For a test that reads the log. */
  logger?: Logger;
}

/** A gateway on a free port of loopback: in this process, or the tested package in one of its own. */
export interface DevGateway {
  url: string;
  home: string;
  /** The parts of the gateway in this process. */
  context: Context;
  /** Calls a path of the gateway. */
  fetch(path: string, request?: RequestInit): Promise<Response>;
  /** A new account that is signed in. */
  register(email: string, password?: string): Promise<HttpSession>;
  stop(): Promise<void>;
}

const usualPassword = 'correct horse battery';

/**
 * The real gateway with what a test or an experiment wants by default: memory instead of a file, nothing in the log,
 * cheap password hashes, and no administrator until a test makes one.
 */
export function startGateway(options: GatewayOptions = {}): Promise<DevGateway> {
  return testedPackage === undefined ? startHere(options) : startPackage(options);
}

async function startHere(options: GatewayOptions): Promise<DevGateway> {
  // Tests of the package load nothing of it.
  const { startGateway: startRealGateway } = await import('@switchyard/server/main');
  const folder = options.home === undefined ? temporaryFolder() : undefined;
  const home = options.home ?? folder?.path ?? '';
  const isChosen = options.config?.database?.backend === 'postgres';
  const storage = isChosen ? null : await replicaStorage(home);
  try {
    const config = merge(options.config ?? {}, storage?.config ?? {});
    const gateway = await startRealGateway(devConfig(home, config), {
      version: '0.0.0-dev',
      lastPort: 0,
      passwordCost: 4,
      ...(options.executionTimeouts && { executionTimeouts: options.executionTimeouts }),
      ...(options.logger && { logger: options.logger }),
      ...(options.agentsFolder !== undefined && { agentsFolder: options.agentsFolder }),
      ...(options.watchAgents !== undefined && { watchAgents: options.watchAgents }),
      ...(options.consoleFolder !== undefined && { consoleFolder: options.consoleFolder }),
    });
    return {
      url: gateway.url,
      home,
      context: gateway.context,
      fetch: (path, request) => fetch(new URL(path, gateway.url), request),
      register: (email, password = usualPassword) => HttpSession.register(gateway.url, { email, password }),
      stop: async () => {
        await gateway.close();
        await storage?.stop();
        folder?.remove();
      },
    };
  } catch (error) {
    await storage?.stop();
    folder?.remove();
    throw error;
  }
}

/** The defaults of the product, without the environment of this machine and without a file. */
function devConfig(home: string, overrides: ConfigOverrides): Config {
  const { config } = loadConfig({ flags: { home, port: '0' }, env: {}, cwd: home });
  return merge(merge(config, usual), overrides);
}

const usual: ConfigOverrides = {
  database: { backend: 'memory' },
  auth: { bootstrap: 'interactive', registration: 'open' },
  observability: { log: { level: 'silent' } },
  // Memory would call a test's model half a minute later, unexpectedly.
  memory: { extraction_enabled: false },
};

/** Starts the package that is tested, as its users do: what a test may set is what a file of settings can say. */
async function startPackage({ home: given, config = {}, ...inside }: GatewayOptions): Promise<DevGateway> {
  const unknown = Object.keys(inside);
  if (unknown.length > 0) throw new Error(`Tests of the package cannot set ${unknown.join(', ')}.`);
  const folder = given === undefined ? temporaryFolder() : undefined;
  const home = given ?? folder?.path ?? '';
  try {
    const settings = { version: 1, ...asWritten(merge(usual, config)) };
    // JSON is YAML too.
    writeFileSync(join(home, 'switchyard.yaml'), JSON.stringify(settings));
    const gateway = await SpawnedGateway.start({ home });
    return {
      url: gateway.url,
      home,
      get context(): Context {
        throw new Error('Tests of the package see what its users see.');
      },
      fetch: (path, request) => fetch(new URL(path, gateway.url), request),
      register: (email, password = usualPassword) => HttpSession.register(gateway.url, { email, password }),
      stop: async () => {
        await gateway.stop();
        folder?.remove();
      },
    };
  } catch (error) {
    folder?.remove();
    throw error;
  }
}

/** Returns settings as they stand in a file, where a duration has a unit. */
function asWritten(settings: object, prefix = ''): object {
  const entries = Object.entries(settings).map(([name, value]) => {
    const field = fields.get(prefix + name);
    if (field === undefined && isSection(value)) return [name, asWritten(value, `${prefix}${name}.`)];
    return [name, field?.['x-kind'] === 'duration' ? `${value}ms` : value];
  });
  return Object.fromEntries(entries);
}

/** Sections are merged, everything else is replaced. */
function merge<Value extends object>(base: Value, changes: object): Value {
  const merged = { ...base } as Record<string, unknown>;
  for (const [key, change] of Object.entries(changes)) {
    merged[key] = isSection(change) ? merge(isSection(merged[key]) ? merged[key] : {}, change) : change;
  }
  return merged as Value;
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The services and settings of a gateway that is one of several replicas. */
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
async function replicaStorage(home: string): Promise<ReplicaStorage | null> {
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
