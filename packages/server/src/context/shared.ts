import type { ServiceHealth } from '@switchyard/contract/meta';
import type { SigningKeys } from '../accounts/secrets/signing-keys.ts';
import type { Config } from '../config/schema.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { CloseStack } from '../lib/close-stack.ts';
import { hourMs } from '../lib/time-units.ts';
import { streamLimits } from '../ops/options-of-config.ts';
import type { BusState } from '../ops/system/system.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { MemoryBus } from '../platform/bus/memory-bus.ts';
import { refuseOtherClock } from '../platform/clock/cluster-clock.ts';
import type { Counters } from '../platform/counters/counters.ts';
import { MemoryCounters } from '../platform/counters/memory-counters.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseNowMs } from '../platform/database/database-time.ts';
import { databaseIdentity } from '../platform/database/gateway-store.ts';
import { migrate } from '../platform/database/migrate.ts';
import type { JobFailure } from '../platform/jobs/job-attempts.ts';
import { type Jobs, JobUnsettled } from '../platform/jobs/jobs.ts';
import { jobMigrations } from '../platform/jobs/migrations.ts';
import { StoredJobs } from '../platform/jobs/stored-jobs.ts';
import type { JobTables } from '../platform/jobs/tables.ts';
import type { OfferQueues } from '../platform/offers/offer-queues.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';
import { isToldByServer } from '../platform/redis/redis-fault.ts';
import type { RedisServer } from '../platform/redis/redis-server.ts';
import { MemoryStreamLog } from '../platform/stream-log/memory-stream-log.ts';
import type { StreamLog, StreamLogLimits } from '../platform/stream-log/stream-log.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';

/** The parts that replicas share, or that one process has for itself when it is alone. */
export interface Shared {
  /** Null when the gateway runs without Redis. */
  redis: RedisServer | null;
  bus: Bus;
  counters: Counters;
  streamLog: StreamLog;
  jobs: Jobs;
  /** Hands work to one replica at a time. Null without Redis. */
  offers: OfferQueues | null;
  busState: () => BusState & { cache: ServiceHealth['cache'] };
}

interface Surroundings {
  config: Config;
  logger: Logger;
  opened: CloseStack;
  database: Database<unknown>;
  ownership: Ownership;
  keys: SigningKeys;
  clock: Clock;
  metrics: Metrics;
}

/** Opens bus, counters, stream log and jobs, as configured. */
export async function openShared(surroundings: Surroundings): Promise<Shared> {
  const { config, opened, ownership, clock } = surroundings;
  const redis = config.bus.backend === 'redis' ? await openRedis(surroundings) : null;
  const bus = redis ? await openRedisBus(redis, surroundings) : new MemoryBus();
  opened.add(() => bus.close());
  await ownership.joinBus(bus);
  // Again, before the bus: what is given back at the end is announced.
  opened.add(() => ownership.close());
  const offers = redis && (await openOffers(redis, opened));
  return {
    redis,
    bus,
    counters: redis ? await openRedisCounters(redis) : new MemoryCounters(),
    streamLog: await openStreamLog(redis, { limits: streamLimits(config), now: clock }),
    jobs: await openJobs(surroundings, offers),
    offers,
    busState: () => ({
      kind: config.bus.backend,
      latencyMs: redis?.latencyMs ?? null,
      fault: redis?.fault ?? null,
      cache: redis === null ? 'embedded' : redis.fault === null ? 'connected' : 'disconnected',
    }),
  };
}

/** Loaded only when it is used, like everything that needs Redis. */
async function openRedis({
  config,
  logger,
  opened,
  database,
  keys,
  metrics,
}: Surroundings): Promise<RedisServer> {
  await refuseOtherClock(() => databaseNowMs(database, database.read), systemClock);
  const { RedisServer } = await import('../platform/redis/redis-server.ts');
  const redis = await RedisServer.open({
    url: config.bus.url ?? '',
    prefix: config.bus.prefix,
    cluster: { database: await databaseIdentity(database), secrets: () => fingerprintsOf(keys) },
    log: logger,
    onLost: () => metrics.redisLosses.inc(),
  });
  opened.add(() => redis.close());
  metrics.fill(metrics.redisUp, async () => (redis.fault === null ? 1 : 0));
  metrics.fill(metrics.redisLatency, async () => redis.latencyMs && redis.latencyMs / 1000);
  return redis;
}

/** Tells secrets apart and reveals none. The one that signs comes first. */
function fingerprintsOf(keys: SigningKeys): string[] {
  const { signing, accepted } = keys.for('replicas of one cluster');
  return [signing(), ...accepted()].map((key) => key.export().toString('hex').slice(0, 32));
}

async function openRedisBus(
  redis: RedisServer,
  { logger, metrics }: Pick<Surroundings, 'logger' | 'metrics'>,
): Promise<Bus> {
  const { RedisBus } = await import('../platform/bus/redis-bus.ts');
  return RedisBus.open(redis, {
    onMisfit: (topic, err) => {
      metrics.busMisfits.inc();
      logger.warn(
        { topic, err },
        'A message from Redis does not have the shape of its topic, so the database is read instead',
      );
    },
  });
}

async function openStreamLog(
  redis: RedisServer | null,
  options: { limits: StreamLogLimits; now: Clock },
): Promise<StreamLog> {
  if (!redis) return new MemoryStreamLog(options);
  const { RedisStreamLog } = await import('../platform/stream-log/redis-stream-log.ts');
  return RedisStreamLog.open({ redis, ...options });
}

async function openRedisCounters(redis: RedisServer): Promise<Counters> {
  const { RedisCounters } = await import('../platform/counters/redis-counters.ts');
  return new RedisCounters({ redis, alone: new MemoryCounters() });
}

async function openOffers(redis: RedisServer, opened: CloseStack): Promise<OfferQueues> {
  const { OfferQueues } = await import('../platform/offers/offer-queues.ts');
  const offers = await OfferQueues.open({ redis });
  opened.add(() => offers.close());
  return offers;
}

async function openJobs(surroundings: Surroundings, offers: OfferQueues | null): Promise<Jobs> {
  const { database, ownership, logger, opened, metrics } = surroundings;
  await migrate(database, 'jobs', jobMigrations);
  const jobs = new StoredJobs({
    database: database.withTables<JobTables>(),
    isAlone: database.dialect === 'sqlite',
    report: ({ error, ...failure }: JobFailure): void => {
      const { kind, job } = failure;
      if (job) metrics.jobFailures.inc({ kind, outcome: job.isDead ? 'given_up' : 'retried' });
      // The connection to Redis tells once that it is lost, or that Redis is full. Each kind of job would repeat it.
      if (offers && failure.job === undefined && isToldByServer(error)) return;
      const cause = error instanceof JobUnsettled ? { reason: error.message } : { err: error };
      logger.warn({ ...cause, ...failure }, 'A job failed');
    },
    offers,
  });
  opened.add(() => jobs.close());
  jobs.register('ownership.prune', () => ownership.prune(), { everyMs: hourMs });
  return jobs;
}
