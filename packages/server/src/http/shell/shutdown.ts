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
  /** The time that requests may take to finish. Then their connections are cut. */
  graceMs: number;
  /** New connections are accepted for this long while requests finish and streams go on. Default 2 s, 10 s beside replicas. */
  listenMs?: number;
  /** A proxy in front asks the others when this one refuses. */
  hasReplicas?: boolean;
  timer: Timer;
  logger: Logger;
}

/** The time that a connection which has just been accepted may take to send its request. */
const unheardMs = 2_000;

/** Clients that connect faster than they can be accepted do not keep the listener open. */
const maxAcceptTurns = 2_000;
/** A turn of the event loop without work. */
const shortTurnMs = 1;
/** Streams go on while the listener closes, so that no turn may be short. So many in a row without a connection are enough. */
const enoughTurns = 10;

/**
 * Long enough for a client that asks again to hear that we are not ready. Behind a busy proxy there is always a request that
 * has not finished, so the listener closes by itself: the proxy is then refused, and asks another replica.
 */
const usualListenMs = 2_000;
/** A proxy leaves a replica out when its first GET has come. On a busy machine, or among POSTs alone, that takes longer. */
const listenMsBesideReplicas = 10_000;

/**
 * A connection that arrives at the very moment at which the listener closes is lost. Where a proxy has another replica to ask, the
 * listener closes when none has arrived for so long.
 */
const quietMs = 250;

/** Ends the service of one server without losing a response that has begun. */
export class Shutdown {
  readonly #app: App;
  readonly #options: ShutdownOptions;
  readonly #connections: Connections;
  #done: Promise<void> | undefined;

  /** Called before the server listens, so that it knows every connection. */
  constructor(app: App, options: ShutdownOptions) {
    this.#app = app;
    this.#options = options;
    this.#connections = trackConnections(app.server);
  }

  /**
   * The gateway reports that it is not ready, soon accepts no new connection, then tells streams to end, lets requests finish,
   * and closes. A second call returns the same promise.
   */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    const { health, tracker, graceMs, timer, logger } = this.#options;
    health.startDraining();
    const overdue = newDeferred();
    const cancel = timer(overdue.resolve, graceMs);
    const isInTime = await Promise.race([this.#finish().then(() => true), overdue.promise.then(() => false)]);
    cancel();
    if (!isInTime) logger.warn({ requests: tracker.inFlight }, 'Requests cut at shutdown');
    const closed = this.#app.close();
    for (const socket of this.#connections.open) socket.destroy();
    await closed;
  }

  /** The listener closes first: as long as a request can arrive, it is answered to its end, and streams go on. */
  async #finish(): Promise<void> {
    const { streams, tracker } = this.#options;
    await this.#untilUnasked();
    await this.#stopListening();
    await this.#hearTheLast();
    await streams.closeAll();
    await tracker.whenIdle();
  }

  /**
   * Waits until no more requests seem to come; not for ever. A proxy that has left this replica out comes back after seconds, so
   * those that are at work are not waited for. A gateway that is alone is asked as long as somebody waits for it.
   */
  async #untilUnasked(): Promise<void> {
    const { tracker, streams, graceMs, hasReplicas = false, timer } = this.#options;
    const { listenMs = hasReplicas ? listenMsBesideReplicas : usualListenMs } = this.#options;
    const longEnough = newDeferred();
    const cancel = timer(longEnough.resolve, Math.min(listenMs, graceMs / 2));
    const unasked = hasReplicas ? this.#untilQuiet() : tracker.whenIdle(() => streams.count());
    await Promise.race([unasked, longEnough.promise]);
    cancel();
  }

  async #untilQuiet(): Promise<void> {
    let accepted: number;
    do {
      accepted = this.#connections.accepted;
      const waited = newDeferred();
      this.#options.timer(waited.resolve, quietMs);
      await waited.promise;
    } while (this.#connections.accepted !== accepted);
  }

  /**
   * Closes the listener once no connection waits to be accepted. The system resets those that do, although they may have sent
   * their request already. Each turn of the event loop accepts one.
   */
  async #stopListening(): Promise<void> {
    await this.#acceptAll();
    this.#app.server.close();
  }

  async #acceptAll(): Promise<void> {
    // The turn that is under way may have asked for new connections already.
    await endOfTurn();
    let turnsWithout = 0;
    for (let turn = 0; turn < maxAcceptTurns && turnsWithout < enoughTurns; turn += 1) {
      const accepted = this.#connections.accepted;
      const begunMs = performance.now();
      await endOfTurn();
      turnsWithout = this.#connections.accepted === accepted ? turnsWithout + 1 : 0;
      // After a long turn another one may wait already.
      if (turnsWithout > 0 && performance.now() - begunMs < shortTurnMs) return;
    }
  }

  /** Connections that were accepted a moment ago and have not been heard yet: a proxy does not repeat what it sends on them. */
  async #hearTheLast(): Promise<void> {
    const unheard = [...this.#connections.open].filter((socket) => socket.bytesRead === 0);
    if (unheard.length === 0) return;
    const waited = newDeferred();
    const cancel = this.#options.timer(waited.resolve, unheardMs);
    await Promise.race([heard(this.#app.server, unheard), waited.promise]);
    cancel();
    // After a turn that took long, the timer comes before what has arrived meanwhile.
    await endOfTurn();
    await endOfTurn();
  }
}

/** Resolves when a request has begun on each of these connections, or no more will. */
function heard(server: Server, connections: readonly Socket[]): Promise<unknown> {
  const begun = new Map(connections.map((socket) => [socket, newDeferred()]));
  server.on('request', ({ socket }) => begun.get(socket)?.resolve());
  for (const [socket, { resolve }] of begun) socket.once('close', () => resolve());
  return Promise.all([...begun.values()].map(({ promise }) => promise));
}

/** Resolves when the event loop has taken in what had arrived. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Connections {
  open: Set<Socket>;
  /** The number of connections so far. */
  accepted: number;
}

/** Upgraded sockets no longer belong to the HTTP server, but it waits for them when it closes. */
function trackConnections(server: Server): Readonly<Connections> {
  const connections: Connections = { open: new Set(), accepted: 0 };
  server.on('connection', (socket) => {
    // A socket that offered another protocol is passed to the server a second time.
    if (connections.open.has(socket)) return;
    connections.accepted += 1;
    connections.open.add(socket);
    socket.once('close', () => connections.open.delete(socket));
  });
  return connections;
}
