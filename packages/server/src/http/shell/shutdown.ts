import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { App } from '../app.ts';
import type { RequestTracker } from '../exchange/request-tracker.ts';
import type { Health } from '../health/health.ts';
import type { OpenStreams } from '../streams/open-streams.ts';

interface ShutdownOptions {
  health: Health;
  streams: OpenStreams;
  tracker: RequestTracker;
  /** How long requests may take to finish. Then their connections are cut. */
  graceMs: number;
  /** How long new connections are still accepted while requests finish. Default 2 s. */
  listenMs?: number;
  timer: Timer;
  logger: Logger;
}

/**
 * Long enough for a client that asks again to hear that we are not ready. Behind a busy proxy there is always a request that
 * has not finished, so the listener closes by itself: the proxy is then refused, and asks another replica.
 */
const usualListenMs = 2_000;

/** Ends the service of one server without losing a response that has begun. */
export class Shutdown {
  readonly #app: App;
  readonly #options: ShutdownOptions;
  readonly #sockets: ReadonlySet<Socket>;
  #done: Promise<void> | undefined;

  /** Called before the server listens, so that it knows every connection. */
  constructor(app: App, options: ShutdownOptions) {
    this.#app = app;
    this.#options = options;
    this.#sockets = trackSockets(app.server);
  }

  /**
   * The gateway reports that it is not ready, tells streams to end, soon accepts no new connection, lets requests finish,
   * then closes. A second call returns the same promise.
   */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    const { health, streams, tracker, graceMs, listenMs = usualListenMs, timer, logger } = this.#options;
    health.startDraining();
    const overdue = newDeferred();
    const cancel = timer(overdue.resolve, graceMs);
    const stayOpen = timer(() => this.#app.server.close(), Math.min(listenMs, graceMs));
    const finished = Promise.all([streams.closeAll(), tracker.whenIdle()]);
    const isInTime = await Promise.race([finished.then(() => true), overdue.promise.then(() => false)]);
    cancel();
    stayOpen();
    if (!isInTime) logger.warn({ requests: tracker.inFlight }, 'Requests cut at shutdown');
    const closed = this.#app.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Upgraded sockets no longer belong to the HTTP server, but it waits for them when it closes. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    // A socket that offered another protocol is passed to the server a second time.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
