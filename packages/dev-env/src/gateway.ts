import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import type { Context } from '@switchyard/server/context';
import type { ExecutionTimeouts } from '@switchyard/server/dispatch/attempts/execution-timeouts';
import { startGateway as startRealGateway } from '@switchyard/server/main';
import type { Logger } from '@switchyard/server/platform/telemetry/logger';
import { HttpSession } from './http-session.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { replicaStorage } from './test-storage.ts';

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

/** A gateway in this process, on a free port of loopback. */
export interface DevGateway {
  url: string;
  home: string;
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
export async function startGateway(options: GatewayOptions = {}): Promise<DevGateway> {
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
  const usual: ConfigOverrides = {
    database: { backend: 'memory' },
    auth: { bootstrap: 'interactive', registration: 'open' },
    observability: { log: { level: 'silent' } },
    // Memory would call a test's model half a minute later, unexpectedly.
    memory: { extraction_enabled: false },
  };
  return merge(merge(config, usual), overrides);
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
