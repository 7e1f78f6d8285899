import type { AgentRuntime } from '../agents/create-agents.ts';
import type { MeasureCall } from '../agents/models/model-metrics.ts';
import type { WorkflowRunner } from '../agents/tools/workflow-runner.ts';
import type { ModelConfig } from '../config/models.ts';
import type { Guard } from '../http/access/guard.ts';
import type { Identity } from '../http/access/identity.ts';
import type { Admission } from '../http/body/admission.ts';
import type { OpenStreams } from '../http/streams/open-streams.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Database } from '../platform/database/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { OfferQueues } from '../platform/offers/offer-queues.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { StreamLog } from '../platform/stream-log/stream-log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import type { Removals } from './removals.ts';
import type { ConversationTables } from './tables.ts';
import type { TellOwner } from './thread-news.ts';

/** The parts that rooms of the area may need from outside. Each takes its share: `Pick<ConversationParts, 'clock' | 'log'>`. */
export interface ConversationParts {
  database: Database<ConversationTables>;
  ownership: Ownership;
  bus: Bus;
  /** Hands runs that wait to one replica at a time; null when this process works alone. */
  offers: OfferQueues | null;
  jobs: Jobs;
  streamLog: StreamLog;
  openStreams: Pick<OpenStreams, 'open'>;
  guard: Pick<Guard, 'checkOrigin' | 'identify' | 'originOf'>;
  admission: Pick<Admission, 'countSocket' | 'readBody'>;
  /** Aborts when the session or token behind an identity has ended. */
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  audit: Pick<Audit, 'add'>;
  removals: Removals;
  /** Null when nothing is traced. */
  traces: Traces | null;
  runtime: AgentRuntime;
  /** Null when this gateway has no pool. */
  workflows: WorkflowRunner | null;
  models: readonly ModelConfig[];
  /** Returns whether this account exists and may sign in. */
  mayStartRuns: (userId: string) => Promise<boolean>;
  /** Sends the open pages of a user what happens to their threads. */
  tell: TellOwner;
  /** The data home. */
  home: string;
  /** The gateway's version, as clients see it. */
  version: string;
  metrics: Metrics;
  /** Counts a call of a model. */
  measureCall: MeasureCall;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}
