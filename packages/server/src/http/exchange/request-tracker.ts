import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import type { Logger, LogLevel } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import { isProbe } from '../health-probe.ts';
import { routeInLog } from '../path-token.ts';
import { hasBody, onceArrived } from './body-arrival.ts';
import { onceOver } from './exchange-end.ts';
import { beginTrace, endTrace } from './request-traces.ts';

/** A finished request that took longer gets a line in the log. */
const slowMs = 1_000;
/** The status that proxies log when the client left before the response was complete. */
const clientGone = 499;

interface Started {
  request: FastifyRequest;
  reply: FastifyReply;
  /** The number of requests in flight that are streams, sockets or held at the moment. */
  held: number;
}

/** Follows each request to its end, however it ends: counts it, measures it, and writes its one line. */
export class RequestTracker {
  readonly #options;
  readonly #causes = new WeakMap<FastifyRequest, unknown>();
  #inFlight = 0;
  /** The requests in flight whose body is still arriving. They hold only a socket, however long they take. */
  #arriving = 0;
  #nextEnd: Deferred<void> | undefined;

  constructor(options: {
    logger: Logger;
    metrics: Pick<
      Metrics,
      'httpRequests' | 'httpRequestDuration' | 'httpRequestsInFlight' | 'httpRequestsShed' | 'beforeScrape'
    >;
    /** Null when nothing is traced. */
    traces: Traces | null;
    /** Maximum number of requests in flight, not counting streams. Further requests are refused. */
    limit: number;
  }) {
    this.#options = options;
    const { metrics } = options;
    metrics.beforeScrape(() => metrics.httpRequestsInFlight.set(this.#inFlight));
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves as soon as no more requests are open than are held on purpose. */
  async whenIdle(held: () => number = () => 0): Promise<void> {
    while (this.#inFlight > held()) {
      this.#nextEnd ??= newDeferred();
      await this.#nextEnd.promise;
    }
  }

  /**
   * Throws when the gateway is full, except for a probe. Streams and sockets have limits of their own and do not count.
   */
  start({ request, reply, held }: Started): void {
    const { metrics, limit } = this.#options;
    const startedMs = performance.now();
    if (this.#options.traces !== null && !isProbe(request)) beginTrace(request);
    this.#inFlight++;
    if (hasBody(request.raw) && request.headers.upgrade === undefined) {
      this.#arriving++;
      onceArrived({ request, reply }, () => {
        this.#arriving--;
      });
    }
    // Unlike the framework's own hook, it also acts when the client leaves early.
    onceOver({ request, reply }, () => {
      this.#finish(request, reply, performance.now() - startedMs);
      this.#inFlight--;
      this.#nextEnd?.resolve();
      this.#nextEnd = undefined;
    });
    if (this.#inFlight - held - this.#arriving > limit && !isProbe(request)) {
      metrics.httpRequestsShed.inc();
      throw new AppError('overloaded', { retryAfterSeconds: 1 });
    }
  }

  /** Records why a request failed, for its line. */
  noteCause(request: FastifyRequest, error: unknown): void {
    this.#causes.set(request, error);
  }

  #finish(request: FastifyRequest, reply: FastifyReply, tookMs: number): void {
    const isSocket = isUpgraded(request, reply);
    const status = isSocket ? 101 : reply.raw.writableEnded ? reply.raw.statusCode : clientGone;
    const isStream = isSocket || /^text\/event-stream/.test(String(reply.getHeader('content-type') ?? ''));
    const { traces } = this.#options;
    if (traces !== null) endTrace(traces, request, { route: routeInLog(request), status, tookMs });
    if (!isStream) {
      const labels = labelsOf({ route: request.routeOptions.url, method: request.method, status });
      this.#options.metrics.httpRequests.inc({ ...labels });
      this.#options.metrics.httpRequestDuration.observe(durationLabelsOf(labels), tookMs / 1000);
    }
    // A probe asks whether the gateway is ready, so a negative response is not a fault of the request.
    const level = status === 503 && isProbe(request) ? 'info' : levelOf(status, isStream ? 0 : tookMs);
    if (!this.#options.logger.isLevelEnabled(level)) return;
    const err = this.#causes.get(request);
    request.log[level](
      {
        method: request.method,
        route: routeInLog(request),
        status,
        tookMs: Math.round(tookMs),
        ...(err !== undefined && { err }),
      },
      'request',
    );
  }
}

function levelOf(status: number, tookMs: number): Exclude<LogLevel, 'silent'> {
  if (status >= 500) return 'error';
  const isRefused = status === 401 || status === 403 || status === 429;
  return isRefused || tookMs >= slowMs ? 'info' : 'debug';
}

/** A WebSocket was handed over, so its end is not the end of a response. */
function isUpgraded(request: FastifyRequest, reply: FastifyReply): boolean {
  return reply.sent && !reply.raw.headersSent && request.headers.upgrade !== undefined;
}

interface RequestLabels {
  route: string;
  method: string;
  status: string;
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The labels of a request for the metrics. They have few values, and the caller chooses none of them. */
function labelsOf(request: { route: string | undefined; method: string; status: number }): RequestLabels {
  const { route = 'none', method, status } = request;
  return { route, method: methodLabel(method), status: `${Math.floor(status / 100)}xx` };
}

/** A refusal takes no work of its own, so a stranger who tries every route adds no series of durations. */
function durationLabelsOf({ route, method, status }: RequestLabels): Omit<RequestLabels, 'status'> {
  return { route: status === '4xx' ? 'refused' : route, method };
}

function methodLabel(method: string): string {
  if (method === 'HEAD') return 'GET';
  return methods.has(method) ? method : 'other';
}
