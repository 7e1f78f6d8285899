import { comfyuiBase } from '@switchyard/contract/doors/comfyui-address';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { signedInUser } from './http/access/guard.ts';
import type { App, Routes } from './http/app.ts';
import { consoleFilesIn, consoleRoutes } from './http/console/console-files.ts';
import { docsRoutes } from './http/docs/docs-routes.ts';
import { collectEndpoints, openApiDocument } from './http/docs/openapi.ts';
import type { Health } from './http/health/health.ts';
import { healthRoutes } from './http/health/health-routes.ts';
import { metricsRoutes } from './http/health/metrics-routes.ts';
import { createShell, type ShellOptions } from './http/shell/shell.ts';
import { streamKinds } from './http/streams/open-streams.ts';
import type { Metrics } from './platform/telemetry/metrics.ts';

export interface ServerOptions {
  shell: Omit<ShellOptions, 'isDraining' | 'unknownPage'>;
  health: Health;
  metrics: Metrics;
  /** Opens `/metrics` beyond loopback to callers that send it. */
  metricsToken: string | null;
  /** Adds the hook that decides who may call; `Guard.protect`. */
  guard: (app: App) => void;
  /** For public routes that show more to known callers; `Guard.isSignedIn`. */
  isSignedIn: (request: FastifyRequest) => Promise<boolean>;
  /** The folder of the built web console; null when there is none. */
  consoleFolder: string | null;
  /** The areas. */
  routes: readonly Routes[];
}

/** The whole server, ready to listen: shell, guard, areas, and the routes that describe and watch them. */
export async function buildServer(options: ServerOptions): Promise<App> {
  const { shell, health, metrics, metricsToken, guard, isSignedIn, consoleFolder } = options;
  const files = consoleFilesIn(consoleFolder);
  const app = createShell({
    ...shell,
    isDraining: () => health.isDraining,
    unknownPage: files && ((request, reply) => files.sendUnknown(request, reply)),
  });
  const endpoints = collectEndpoints(app);
  guard(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (signedInUser(request) !== undefined) reply.header('x-switchyard-version', shell.version);
    done();
  });
  metrics.beforeScrape(() => {
    for (const kind of streamKinds) metrics.openStreams.set({ kind }, shell.streams.count(kind));
  });
  const own = [
    healthRoutes({ health, isSignedIn }),
    metricsRoutes({ metrics, token: metricsToken }),
    docsRoutes(() => openApiDocument(endpoints, { version: shell.version })),
    consoleRoutes(files),
  ];
  for (const routes of [...own, ...options.routes]) app.register(inOwnScope(routes));
  await app.ready();
  return app;
}

/**
 * The listener of ComfyUI's page: the door for clients of ComfyUI with what its page needs, and nothing else of the gateway. Limits,
 * log and shutdown are those of the gateway; other sites may not call it.
 */
export async function buildPageServer({
  shell,
  health,
  guard,
  routes,
}: Pick<ServerOptions, 'shell' | 'health' | 'guard' | 'routes'>): Promise<App> {
  const app = createShell({
    ...shell,
    base: comfyuiBase,
    corsOrigins: [],
    isDraining: () => health.isDraining,
    unknownPage: null,
  });
  guard(app);
  for (const each of routes) app.register(inOwnScope(each));
  await app.ready();
  return app;
}

/** Returns the routes of one area in a scope of its own: its body parser, for example, is invisible to the others. */
function inOwnScope(routes: Routes): FastifyPluginAsync {
  return async (scope) => routes(scope as unknown as App);
}
