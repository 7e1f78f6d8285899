import { join } from 'node:path';
import type { OwnAgent } from './agents/create-agents.ts';
import type { Config } from './config/schema.ts';
import type { ContextOptions } from './context/base.ts';
import { type Context, createContext, type RegistrationFacts } from './context.ts';
import { guardCustomCalls } from './http/access/custom-calls.ts';
import type { App } from './http/app.ts';
import { listenOnFreePort } from './http/shell/listen.ts';
import { Shutdown } from './http/shell/shutdown.ts';
import { systemTimer } from './lib/async/timer.ts';
import { systemClock, toIso } from './lib/clock.ts';
import { CloseStack } from './lib/close-stack.ts';
import { removeGatewayFile, writeGatewayFile } from './ops/gateway-file.ts';
import type { Logger } from './platform/telemetry/logger.ts';
import { buildPageServer, buildServer } from './server.ts';

interface StartOptions extends ContextOptions {
  /** If the port is busy, the next one is tried, up to this one. It equals the port when that was chosen on purpose. */
  lastPort: number;
  /** The folder of the built web console. If it is absent, there is none. */
  consoleFolder?: string;
}

/** The facts that a banner shows. */
interface GatewayFacts {
  /** File or address of the database, without credentials; null in memory. */
  databasePlace: string | null;
  /** The file of the first password, as long as that is in use. */
  credentialsPath: string | null;
  /** No administrator exists yet: the first visitor creates one. */
  awaitsFirstAdmin: boolean;
  registration: RegistrationFacts;
}

export interface RunningGateway {
  url: string;
  /** The origin of ComfyUI's page; null when it has none. */
  pageUrl: string | null;
  facts: GatewayFacts;
  context: Context;
  /** The agents of the users' own files, each with its fault. Loads them, which takes a moment. */
  ownAgents(): Promise<OwnAgent[]>;
  /** Lets requests finish, then closes everything. A second call returns the same promise. */
  close(): Promise<void>;
}

/** The part of a shutdown's time that is kept for closing the database and the files. */
const closingReserveMs = 3_000;

/** Starts a gateway in this process and resolves when it is ready. */
export async function startGateway(config: Config, options: StartOptions): Promise<RunningGateway> {
  const opened = new CloseStack();
  try {
    const context = await createContext(config, options);
    opened.add(() => context.close());
    opened.add(logStrayErrors(context.logger));
    const app = await serverFor(config, context, options);
    const pageApp = await pageServerFor(config, context, options);
    const shutdowns = [app, pageApp]
      .flatMap((each) => each ?? [])
      .map(
        (each) =>
          new Shutdown(each, {
            health: context.health,
            streams: context.streams,
            tracker: context.tracker,
            graceMs: Math.max(0, config.server.shutdown_grace - closingReserveMs),
            hasReplicas: hasReplicas(config),
            timer: systemTimer,
            logger: context.logs.http,
          }),
      );
    opened.add(async () => {
      await Promise.all(shutdowns.map((shutdown) => shutdown.run()));
    });
    const url = await listen(app, config, options.lastPort);
    context.setListeningUrl(url);
    const pageUrl = pageApp && (await listenForPage(pageApp, config, context));
    await context.start();
    writeGatewayFile(config.data_home, {
      url,
      ...(pageUrl !== null && { pageUrl }),
      pid: process.pid,
      since: toIso(systemClock()),
    });
    opened.add(() => removeGatewayFile(config.data_home, process.pid));
    let closed: Promise<void> | undefined;
    return {
      url,
      pageUrl,
      facts: factsOf(config, context),
      context,
      ownAgents: async () => (await context.conversation?.ownAgents()) ?? [],
      close: () => {
        closed ??= opened.close();
        return closed;
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function serverFor(config: Config, context: Context, options: StartOptions): Promise<App> {
  const { health, metrics, guard, conversation, routes } = context;
  return buildServer({
    shell: shellFor(config, context, { ...options, publicUrl: config.server.public_url }),
    health,
    metrics,
    metricsToken: config.observability.metrics.token,
    guard: (app) => {
      guard.protect(app);
      if (conversation?.customAuth) guardCustomCalls(app, conversation.customAuth.decide);
    },
    isSignedIn: (request) => guard.isSignedIn(request),
    consoleFolder: options.consoleFolder ?? null,
    routes,
  });
}

async function pageServerFor(config: Config, context: Context, options: StartOptions): Promise<App | null> {
  const { health, page } = context;
  if (!page) return null;
  return buildPageServer({
    shell: shellFor(config, context, { ...options, publicUrl: config.doors.comfyui.public_url }),
    health,
    guard: (app) => page.guard.protect(app),
    routes: page.routes,
  });
}

function shellFor(
  config: Config,
  { logs, tracker, streams, admission, limits }: Context,
  { version, publicUrl }: Pick<StartOptions, 'version'> & { publicUrl: string | null },
): Parameters<typeof buildServer>[0]['shell'] {
  return {
    logger: logs.http,
    tracker,
    streams,
    admission,
    limits,
    corsOrigins: config.server.cors.origins,
    isHttps: publicUrl?.startsWith('https:') ?? false,
    version,
    hasReplicas: hasReplicas(config),
  };
}

/** Returns whether other processes of this gateway may stand beside this one, behind a proxy. */
function hasReplicas({ bus }: Config): boolean {
  return bus.backend === 'redis';
}

async function listen(app: App, { server }: Config, lastPort: number): Promise<string> {
  const port = await listenOnFreePort(app, { host: server.host, port: server.port, lastPort });
  return `http://${reachable(server.host)}:${port}`;
}

/** A port that was chosen is not replaced: proxies and people know it. */
async function listenForPage(
  app: App,
  { server: { host }, doors }: Config,
  { page }: Context,
): Promise<string | null> {
  const { port: chosen, public_url: publicUrl } = doors.comfyui;
  if (chosen === null) return null;
  const named = 'doors.comfyui.port';
  const port = await listenOnFreePort(app, { host, port: chosen, lastPort: chosen, named });
  page?.setListeningPort(port);
  return publicUrl ?? `http://${reachable(host)}:${port}`;
}

/** The address that stands for all addresses cannot be called. The printed URL must work on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function factsOf(config: Config, { bootstrap, registration }: Context): GatewayFacts {
  return {
    registration,
    databasePlace: databasePlace(config),
    credentialsPath: bootstrap.credentialsPath,
    awaitsFirstAdmin: bootstrap.outcome === 'waiting',
  };
}

function databasePlace({ database }: Config): string | null {
  if (database.backend === 'sqlite') return join(database.sqlite_dir, 'switchyard.db');
  if (database.url === null || database.backend === 'memory') return null;
  const { host, pathname } = new URL(database.url);
  return host + pathname;
}

/**
 * A rejection that was not awaited belongs to no request any more: it is logged, and the gateway continues. An
 * exception outside every request leaves the process in an unknown state: it is logged, and the process ends.
 */
function logStrayErrors(logger: Logger): () => void {
  const onRejection = (err: unknown): void => logger.error({ err }, 'A rejection was not handled');
  const onException = (err: unknown): void => logger.fatal({ err }, 'An exception was not caught');
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtExceptionMonitor', onException);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtExceptionMonitor', onException);
  };
}
