import { Counter, Gauge, Histogram, type LabelValues, Registry } from 'prom-client';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { within } from '../../lib/async/within.ts';
import { secondMs } from '../../lib/time-units.ts';
import { registerProcessMetrics } from './process-metrics.ts';

/** Prometheus waits for ten seconds by default, and the other gauges must come in time when the database is away. */
const fillMs = 2 * secondMs;

/**
 * Every metric of the gateway, declared once, in base units. Labels have few values: never the id of a user, a task or
 * a thread. The id of an instance is allowed only because the number of instances is bounded, and so is the name of a model
 * that the configuration has.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #timer: Timer;
  readonly #stopProcessMetrics: () => void;
  readonly #readers: (() => unknown)[] = [];

  readonly httpRequests = new Counter({
    name: 'switchyard_http_requests_total',
    help: 'Answers by the first digit of their status, streams left out.',
    labelNames: ['route', 'method', 'status'] as const,
    registers: [this.registry],
  });

  /** Each combination of labels adds nine lines. So the status is counted above, and refusals share one series. */
  readonly httpRequestDuration = new Histogram({
    name: 'switchyard_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, streams left out; refusals have the route "refused".',
    labelNames: ['route', 'method'] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [this.registry],
  });

  readonly httpRequestsInFlight = new Gauge({
    name: 'switchyard_http_requests_in_flight',
    help: 'Requests that are being answered, streams included.',
    registers: [this.registry],
  });

  readonly httpRequestsShed = new Counter({
    name: 'switchyard_http_requests_shed_total',
    help: 'Requests that were refused because too many were in flight.',
    registers: [this.registry],
  });

  readonly openStreams = new Gauge({
    name: 'switchyard_open_streams',
    help: 'Open event streams, sockets and held requests.',
    labelNames: ['kind'] as const,
    registers: [this.registry],
  });

  readonly tasksEnded = new Counter({
    name: 'switchyard_tasks_total',
    help: 'Tasks that have ended.',
    labelNames: ['status'] as const,
    registers: [this.registry],
  });

  readonly taskWait = new Histogram({
    name: 'switchyard_task_wait_seconds',
    help: 'From the submit of a task to its start on a worker.',
    buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
    registers: [this.registry],
  });

  readonly taskRun = new Histogram({
    name: 'switchyard_task_run_seconds',
    help: 'From the start of a task on a worker to its end, outputs fetched.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
    registers: [this.registry],
  });

  readonly queueDepth = new Gauge({
    name: 'switchyard_queue_depth',
    help: 'Tasks that wait for a worker.',
    registers: [this.registry],
  });

  readonly instancesUp = new Gauge({
    name: 'switchyard_instances_up',
    help: 'Instances that answer.',
    registers: [this.registry],
  });

  readonly instanceUp = new Gauge({
    name: 'switchyard_instance_up',
    help: '1 while the instance answers. At most 100 instances have their own series.',
    labelNames: ['instance'] as const,
    registers: [this.registry],
  });

  readonly instanceEvents = new Counter({
    name: 'switchyard_instance_events_total',
    help: 'What happened to instances and to attempts on them. Beyond 100 instances the rest count as "other".',
    labelNames: ['instance', 'event'] as const,
    registers: [this.registry],
  });

  readonly instanceEventsUnrecorded = new Counter({
    name: 'switchyard_instance_events_unrecorded_total',
    help: 'Events of instances that are in the log and could not be stored.',
    registers: [this.registry],
  });

  readonly runsEnded = new Counter({
    name: 'switchyard_runs_total',
    help: 'Runs of agents that have ended, by status and by the cause of an early end.',
    labelNames: ['status', 'cause'] as const,
    registers: [this.registry],
  });

  readonly runWait = new Histogram({
    name: 'switchyard_run_wait_seconds',
    help: 'From the request of a run to its start.',
    buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300],
    registers: [this.registry],
  });

  readonly runFirstToken = new Histogram({
    name: 'switchyard_run_first_token_seconds',
    help: 'From the request of a run to the first piece of an answer that its model streams.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
    registers: [this.registry],
  });

  readonly runDuration = new Histogram({
    name: 'switchyard_run_seconds',
    help: 'From the start of a run to its end.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
    registers: [this.registry],
  });

  readonly runsActive = new Gauge({
    name: 'switchyard_runs_active',
    help: 'Runs at work in this process.',
    registers: [this.registry],
  });

  readonly runsWaiting = new Gauge({
    name: 'switchyard_runs_waiting',
    help: 'Runs that wait for a place; with several replicas those of all of them.',
    registers: [this.registry],
  });

  readonly modelCalls = new Counter({
    name: 'switchyard_model_calls_total',
    help: 'Calls of models by how they ended. Models that are not configured count as "other".',
    labelNames: ['provider', 'model', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly modelCallDuration = new Histogram({
    name: 'switchyard_model_call_seconds',
    help: 'From the call of a model to the end of its answer.',
    labelNames: ['provider', 'model'] as const,
    buckets: [0.5, 1, 2.5, 5, 15, 60, 300],
    registers: [this.registry],
  });

  readonly modelTokens = new Counter({
    name: 'switchyard_model_tokens_total',
    help: 'Tokens as providers report them. Those of kind "cached_input" are among those of kind "input".',
    labelNames: ['provider', 'model', 'kind'] as const,
    registers: [this.registry],
  });

  readonly webhookCalls = new Counter({
    name: 'switchyard_webhook_calls_total',
    help: 'Calls of webhooks of tasks and of runs: delivered, to be tried again, or failed for good.',
    labelNames: ['source', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly webhooksWaiting = new Gauge({
    name: 'switchyard_webhooks_waiting',
    help: 'Calls of webhooks that are not delivered yet, of all replicas; a count ends at 10,000.',
    labelNames: ['source'] as const,
    registers: [this.registry],
  });

  readonly jobFailures = new Counter({
    name: 'switchyard_job_failures_total',
    help: 'Attempts of deferred work that failed, by kind and by whether another attempt follows.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly databaseUp = new Gauge({
    name: 'switchyard_database_up',
    help: '1 when the database has answered this request of the metrics.',
    registers: [this.registry],
  });

  readonly databaseSize = new Gauge({
    name: 'switchyard_database_size_bytes',
    help: 'Size of the database with its indexes; absent while it does not answer.',
    registers: [this.registry],
  });

  readonly databaseConnections = new Gauge({
    name: 'switchyard_database_connections',
    help: 'Connections that this process may use at the same time; one for the writer of SQLite.',
    registers: [this.registry],
  });

  readonly databaseWait = new Histogram({
    name: 'switchyard_database_wait_seconds',
    help: 'What a unit of writes waited for the one writer (SQLite), or any caller for a connection of the pool (Postgres).',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
    registers: [this.registry],
  });

  readonly databaseBusy = new Counter({
    name: 'switchyard_database_busy_seconds_total',
    help: 'Time in which the writer or a connection of the pool was in use, summed over connections.',
    registers: [this.registry],
  });

  readonly databaseFailures = new Counter({
    name: 'switchyard_database_failures_total',
    help: 'What the database did not do because it was busy or away or its disk was full.',
    labelNames: ['code'] as const,
    registers: [this.registry],
  });

  readonly diskFree = new Gauge({
    name: 'switchyard_disk_free_bytes',
    help: 'Free space where the gateway writes.',
    labelNames: ['place'] as const,
    registers: [this.registry],
  });

  readonly backupTaken = new Gauge({
    name: 'switchyard_backup_last_success_timestamp_seconds',
    help: 'The time of the last backup in which everything is, in seconds since 1970.',
    registers: [this.registry],
  });

  readonly backupSeconds = new Gauge({
    name: 'switchyard_backup_duration_seconds',
    help: 'The time that this backup took.',
    registers: [this.registry],
  });

  readonly backupBytes = new Gauge({
    name: 'switchyard_backup_size_bytes',
    help: 'What this backup holds, with what it shares with earlier ones.',
    registers: [this.registry],
  });

  readonly backupFailures = new Gauge({
    name: 'switchyard_backup_failures',
    help: 'Backups since then that failed, or that lack a file.',
    registers: [this.registry],
  });

  readonly redisUp = new Gauge({
    name: 'switchyard_redis_up',
    help: '1 while Redis does what it should; absent without Redis.',
    registers: [this.registry],
  });

  readonly redisLatency = new Gauge({
    name: 'switchyard_redis_latency_seconds',
    help: 'How long the last sign of life of Redis took.',
    registers: [this.registry],
  });

  readonly redisLosses = new Counter({
    name: 'switchyard_redis_losses_total',
    help: 'How often Redis went away while the gateway ran.',
    registers: [this.registry],
  });

  readonly pushSockets = new Gauge({
    name: 'switchyard_ws_clients',
    help: 'Open WebSockets.',
    registers: [this.registry],
  });

  readonly busMisfits = new Counter({
    name: 'switchyard_bus_misfits_total',
    help: 'Messages from Redis that were none of their topic; what they would have said was read from the database.',
    registers: [this.registry],
  });

  readonly s3Calls = new Counter({
    name: 'switchyard_s3_calls_total',
    help: 'Tries of calls to S3, where files are kept there, by what came of them.',
    labelNames: ['operation', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly s3CallDuration = new Histogram({
    name: 'switchyard_s3_call_seconds',
    help: 'Time of a try of a call to S3; of a download until its first byte.',
    labelNames: ['operation'] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [this.registry],
  });

  constructor({ version, timer = systemTimer }: { version: string; timer?: Timer }) {
    this.#timer = timer;
    new Gauge({
      name: 'switchyard_build_info',
      help: 'Always 1; the labels tell what is running.',
      labelNames: ['version', 'node'] as const,
      registers: [this.registry],
    }).set({ version, node: process.version }, 1);
    this.#stopProcessMetrics = registerProcessMetrics(this.registry);
    // Until they are known, they are absent instead of 0.
    for (const gauge of [
      this.queueDepth,
      this.instancesUp,
      this.runsActive,
      this.runsWaiting,
      this.databaseUp,
      this.databaseSize,
      this.redisUp,
      this.redisLatency,
    ])
      gauge.remove();
  }

  /** For gauges that are cheaper to read on request than to keep up to date. */
  beforeScrape(read: () => void): void {
    this.#readers.push(read);
  }

  /** Fills a gauge on request. Null, an error and an answer that is late leave it out. */
  fill<Label extends string>(
    gauge: Gauge<Label>,
    read: () => Promise<number | null>,
    labels: LabelValues<Label> = {},
  ): void {
    this.#readers.push(async () => {
      let value: number | null = null;
      const reading = read().then(
        (found) => {
          value = found;
        },
        () => undefined, // A gauge that is absent says so.
      );
      await within(reading, { limitMs: fillMs, timer: this.#timer });
      if (value === null) gauge.remove(labels);
      else gauge.set(labels, value);
    });
  }

  /** Returns the Prometheus text format. */
  async render(): Promise<string> {
    await Promise.all(this.#readers.map((read) => read()));
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  close(): void {
    this.#stopProcessMetrics();
    this.registry.clear();
  }
}
