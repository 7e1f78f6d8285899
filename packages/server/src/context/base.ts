import type { SigningKeys } from '../accounts/secrets/signing-keys.ts';
import type { UsableLanggraphJson } from '../agents/loading/usable-langgraph-json.ts';
import type { Config } from '../config/schema.ts';
import type { ExecutionTimeouts } from '../dispatch/attempts/execution-timeouts.ts';
import type { ReferenceWorkerProcess } from '../dispatch/fleet/reference-worker.ts';
import type { TrustedProxies } from '../http/access/client-ip.ts';
import type { Clock } from '../lib/clock.ts';
import type { CloseStack } from '../lib/close-stack.ts';
import type { Quiet } from '../ops/backup/quiet.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Database } from '../platform/database/database.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import type { Shared } from './shared.ts';

export interface ContextOptions {
  version: string;
  /** Overrides the usual bcrypt cost, so that tests hash cheaply. */
  passwordCost?: number;
  logger?: Logger;
  /** The process of the built-in worker. If it is absent, there is no built-in worker. */
  referenceWorker?: ReferenceWorkerProcess;
  /** The folder of the skills that ship with the product. If it is absent, there are none. */
  shippedSkills?: string;
  /** The folder of `langgraph.json` and of relative paths of agents; the working directory when it is absent. */
  agentsFolder?: string;
  /** True when agents are loaded again when their files change. */
  watchAgents?: boolean;
  /** Overrides how long the gateway waits for runs and their workers, so that tests wait only shortly. */
  executionTimeouts?: Partial<ExecutionTimeouts>;
}

/** Returns where `langgraph.json` and relative paths of agents are. */
export function agentsFolderOf({ agentsFolder }: ContextOptions): string {
  return agentsFolder ?? process.cwd();
}

/** The parts that every area needs. */
export interface Base extends Shared {
  config: Config;
  /** The parts of `langgraph.json` that are used: none without the conversation area. */
  langgraph: UsableLanggraphJson;
  options: ContextOptions;
  opened: CloseStack;
  /** For lines about the process as a whole. */
  logger: Logger;
  /** The loggers of the areas, each with its own level. */
  logs: Record<keyof Config['observability']['log']['levels'], Logger>;
  database: Database<unknown>;
  /** The clock of the database. Use it for everything that is stored, or compared with what others store. */
  clock: Clock;
  ownership: Ownership;
  audit: Audit;
  quiet: Quiet;
  metrics: Metrics;
  keys: SigningKeys;
  proxies: TrustedProxies;
  /** Null when nothing is traced. */
  traces: Traces | null;
  /** Calls servers outside. */
  outbound: Outbound;
}
