import type { Config } from '../config/schema.ts';
import type { ReferenceWorkerProcess } from '../dispatch/reference-worker.ts';
import type { RunTimeouts } from '../dispatch/run-timeouts.ts';
import type { TrustedProxies } from '../http/client-ip.ts';
import type { CloseStack } from '../lib/close-stack.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Database } from '../platform/database/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';

export interface ContextOptions {
  version: string;
  /** bcrypt's cost, where it is not the usual one: tests hash cheaply. */
  passwordCost?: number;
  logger?: Logger;
  /** How to run the built-in worker; without it there is none. */
  referenceWorker?: ReferenceWorkerProcess;
  /** Folder of the skills that come with the product; without it there are none. */
  shippedSkills?: string;
  /** What runs in the thread that writes to SQLite; without it the gateway's own thread writes. */
  writeThread?: URL | undefined;
  /** Load agents again when their files change. */
  watchAgents?: boolean;
  /** How long runs and their workers are waited for, where it is not the usual time: tests wait shortly. */
  runTimeouts?: Partial<RunTimeouts>;
}

/** What every area stands on. */
export interface Base {
  config: Config;
  options: ContextOptions;
  opened: CloseStack;
  logger: Logger;
  database: Database<unknown>;
  ownership: Ownership;
  bus: Bus;
  jobs: Jobs;
  metrics: Metrics;
  secret: string;
  proxies: TrustedProxies;
}
