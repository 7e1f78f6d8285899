import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { newDeferred } from '../lib/async/deferred.ts';
import type { Timer } from '../lib/async/timer.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { App } from './app.ts';
import type { Health } from './health.ts';
import type { OpenStreams } from './open-streams.ts';
import type { RequestTracker } from './request-tracker.ts';

interface ShutdownOptions {
  health: Health;
  streams: OpenStreams;
  tracker: RequestTracker;
  /** Requests may take this long to finish; then their connections are cut. */
  graceMs: number;
  timer: Timer;
  logger: Logger;
}

/** Ends the service of one server without losing an answer that has begun. */
export class Shutdown {
  readonly #app: App;
  readonly #options: ShutdownOptions;
  readonly #sockets: ReadonlySet<Socket>;
  #done: Promise<void> | undefined;

  /** Before the server listens, so that it knows every connection. */
  constructor(app: App, options: ShutdownOptions) {
    this.#app = app;
    this.#options = options;
    this.#sockets = trackSockets(app.server);
  }

  /** Not ready, then streams told and requests finished, then closed. Asking again answers the same promise. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    const { health, streams, tracker, graceMs, timer, logger } = this.#options;
    health.startDraining();
    const overdue = newDeferred();
    const cancel = timer(overdue.resolve, graceMs);
    // The listener stays open meanwhile: whoever asks is told that we are not ready, instead of finding nobody.
    const finished = Promise.all([streams.closeAll(), tracker.whenIdle()]);
    const isInTime = await Promise.race([finished.then(() => true), overdue.promise.then(() => false)]);
    cancel();
    if (!isInTime) logger.warn({ requests: tracker.inFlight }, 'Requests cut at shutdown');
    const closed = this.#app.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Sockets that were upgraded are no longer the HTTP server's, yet it waits for them when it closes. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    // One that offered another protocol is handed to the server once more.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
