import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import type { Guard } from '../http/access/guard.ts';
import type { Authenticator, Identity } from '../http/access/identity.ts';
import type { Admission } from '../http/body/admission.ts';
import type { OpenStreams } from '../http/streams/open-streams.ts';
import type { Clock } from '../lib/clock.ts';
import type { WorkerPrice } from '../lib/worker-price.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Database } from '../platform/database/database.ts';
import type { BlobStore } from '../platform/files/blob-store.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { ProxySettings } from '../platform/outbound/proxy-rules.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import type { ThumbnailCache } from '../platform/pictures/thumbnail-cache.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import type { DispatchEvents } from './dispatch-events.ts';
import type { Links } from './links.ts';
import type { DispatchTables } from './tables.ts';

export interface DispatchOptions {
  /** The servers of the configuration file; used until someone changes the servers over the API. */
  seed: SettingsInput | null;
  limits: {
    queued: number;
    queuedPerUser: number;
    /** The highest priority for users who are not administrators. */
    memberPriority: number;
    uploadBytes: number;
    outputBytes: number;
    quotaBytes: number;
    socketsPerUser: number;
  };
  /** The proxies through which workers are called. */
  workerProxies: ProxySettings;
  /** Older files are deleted; null keeps every file for ever. */
  retentionMs: number | null;
  /** True when webhooks may call loopback and private networks. */
  webhooksToPrivateAddresses: boolean;
  /** For timelines; null when workers have no price. */
  workerPrice: WorkerPrice | null;
}

/** The parts that rooms of the area may need. Each takes its share: `Pick<DispatchParts, 'clock' | 'log'>`. */
export interface DispatchParts {
  database: Database<DispatchTables>;
  events: DispatchEvents;
  ownership: Ownership;
  /** Null when this gateway is alone on its database. */
  others: OtherReplicas | null;
  jobs: Jobs;
  content: BlobStore;
  thumbnails: ThumbnailCache;
  links: Links;
  guard: Pick<Guard, 'checkOrigin' | 'identify' | 'originOf'>;
  openStreams: OpenStreams;
  admission: Pick<Admission, 'admitStranger' | 'countSocket'>;
  metrics: Metrics;
  authenticator: Authenticator;
  /** Null when nothing is traced. */
  traces: Traces | null;
  /** Calls webhooks. */
  outbound: Pick<Outbound, 'request'>;
  audit: Pick<Audit, 'part'>;
  /** Finds an account that may sign in, by its id or its e-mail address. */
  findUser: (name: string) => Promise<{ userId: string } | null>;
  /** Returns the e-mail addresses of these accounts, by their ids. */
  emailsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Aborts when the session or token behind an identity has ended. */
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  clock: Clock;
  /** Measures durations; it is never set like a wall clock. */
  steadyClock: Clock;
  log: Logger;
  options: DispatchOptions;
}

/** Other gateways on the same database. */
export interface OtherReplicas {
  /** Carries messages between all of them; null when they find everything in the rows. */
  bus: Bus | null;
}
