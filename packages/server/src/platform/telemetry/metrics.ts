import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { registerProcessMetrics } from './process-metrics.ts';

/**
 * Every metric of the gateway, declared once, in base units. Labels have few values: never the id of a user, a task or
 * a thread. The id of an instance is allowed only because the number of instances is bounded.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #stopProcessMetrics: () => void;
  readonly #readers: (() => void)[] = [];

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

  constructor({ version }: { version: string }) {
    new Gauge({
      name: 'switchyard_build_info',
      help: 'Always 1; the labels tell what is running.',
      labelNames: ['version', 'node'] as const,
      registers: [this.registry],
    }).set({ version, node: process.version }, 1);
    this.#stopProcessMetrics = registerProcessMetrics(this.registry);
  }

  /** For gauges that are cheaper to read on request than to keep up to date. */
  beforeScrape(read: () => void): void {
    this.#readers.push(read);
  }

  /** Returns the Prometheus text format. */
  render(): Promise<string> {
    for (const read of this.#readers) read();
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
