import type { FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify';
import { Type } from 'typebox';
import { trustedProxies } from '../../src/http/access/client-ip.ts';
import type { App, Routes } from '../../src/http/app.ts';
import { Admission } from '../../src/http/body/admission.ts';
import { RequestTracker } from '../../src/http/exchange/request-tracker.ts';
import { Health } from '../../src/http/health/health.ts';
import { defaultHttpLimits, type HttpLimits } from '../../src/http/http-limits.ts';
import { listenOnFreePort } from '../../src/http/shell/listen.ts';
import { OpenStreams } from '../../src/http/streams/open-streams.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';
import { buildServer } from '../../src/server.ts';

interface TestServerOptions {
  consoleFolder?: string;
  routes?: Routes[];
  guard?: (app: App) => void;
  limits?: Partial<HttpLimits>;
  corsOrigins?: string[];
  isHttps?: boolean;
  hasReplicas?: boolean;
  metricsToken?: string | null;
  logLevel?: 'debug' | 'info';
  streamLimit?: number;
  checkDatabase?: (deadlineMs: number) => Promise<void>;
  lookAtStorage?: () => Promise<'ok' | 'low'>;
  clock?: Clock;
  isSignedIn?: (request: FastifyRequest) => Promise<boolean>;
}

export interface TestServer {
  app: App;
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse>;
  health: Health;
  metrics: Metrics;
  streams: OpenStreams;
  tracker: RequestTracker;
  /** Listens on a free port of loopback and returns it. */
  listen(): Promise<number>;
  /** The parsed lines of the log. */
  logLines: Record<string, unknown>[];
  logger: ReturnType<typeof createLogger>;
  close(): Promise<void>;
}

/** The real server around the routes of a test, without areas. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { routes = [], guard = () => undefined, checkDatabase = async () => undefined } = options;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const logLines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: options.logLevel ?? 'info',
    format: 'json',
    destination: { write: (line) => void logLines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const metrics = new Metrics({ version: '1.2.3' });
  const streams = new OpenStreams({ limit: options.streamLimit ?? 100 });
  const tracker = new RequestTracker({ logger, metrics, traces: null, limit: limits.requestsInFlight });
  const health = new Health({
    database: checkDatabase,
    storage: options.lookAtStorage ?? (async () => 'ok'),
    cache: () => 'embedded',
    isQuiet: () => false,
    version: '1.2.3',
    clock: options.clock ?? systemClock,
  });
  const app = await buildServer({
    shell: {
      logger,
      tracker,
      streams,
      admission: new Admission({ limits, proxies: trustedProxies([]) }),
      limits,
      corsOrigins: options.corsOrigins ?? [],
      isHttps: options.isHttps ?? false,
      version: '1.2.3',
      hasReplicas: options.hasReplicas ?? false,
    },
    health,
    metrics,
    metricsToken: options.metricsToken ?? null,
    guard,
    isSignedIn: options.isSignedIn ?? (async () => false),
    consoleFolder: options.consoleFolder ?? null,
    routes,
  });
  const close = async (): Promise<void> => {
    const closed = app.close();
    app.server.closeAllConnections(); // A client of a test may keep a connection that it has never used.
    await closed;
    metrics.close();
  };
  const inject = (request: InjectOptions | string): Promise<LightMyRequestResponse> => app.inject(request);
  const listen = () => listenOnFreePort(app, { host: '127.0.0.1', port: 0, lastPort: 0 });
  return { app, inject, listen, health, metrics, streams, tracker, logLines, logger, close };
}

/** The properties that all routes of a test share. */
export const testRoute = { config: { access: 'public' } } as const;
export const testSchema = { summary: 'For a test', tags: ['Test'], response: { 200: Type.Any() } };
