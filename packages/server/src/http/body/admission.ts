import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { once } from '../../lib/once.ts';
import { Shares } from '../../lib/shares.ts';
import { clientNetwork, sourceOf, type TrustedProxies } from '../access/client-ip.ts';
import { signedInUser } from '../access/guard.ts';
import { bodyTooLarge } from '../errors/error-mapping.ts';
import { onceOver } from '../exchange/exchange-end.ts';
import { isProbe } from '../health-probe.ts';
import type { HttpLimits } from '../http-limits.ts';
import { readWhole } from './read-whole.ts';

/** Ends a holding. A second call does no harm. */
type Release = () => void;

/**
 * Counts what callers hold before anything that they send was checked: WebSockets before they sign in, requests of
 * public routes, and bytes of bodies that are still arriving. Each user has a share, and each address that is not signed in
 * has a small one. What strangers hold is counted apart from what users hold, so that neither takes the room of the other.
 */
export class Admission {
  readonly #options;
  readonly #strangerSockets: Shares;
  readonly #strangerRequests: Shares;
  readonly #userRequests: Shares;
  /** Requests of each connection whose answers are not out. */
  readonly #requestsOn = new WeakMap<Socket, number>();
  /** Requests that came while others of their connection had no answer. */
  readonly #pipelined = new WeakSet<FastifyRequest>();
  readonly #strangerBodies: Shares;
  readonly #userBodies: Shares;
  #openSockets = 0;

  constructor(options: { limits: HttpLimits; proxies: TrustedProxies }) {
    const { limits } = options;
    this.#options = options;
    this.#strangerSockets = new Shares({
      each: limits.strangerSocketsPerAddress,
      together: limits.strangerSockets,
    });
    this.#strangerRequests = new Shares({
      each: limits.strangerRequestsPerAddress,
      together: limits.strangerRequests,
    });
    this.#userRequests = new Shares({
      each: limits.openRequestsPerUser,
      together: limits.requestsInFlight,
    });
    this.#strangerBodies = new Shares({
      each: limits.strangerBodyBytesPerAddress,
      together: limits.strangerBodyBytes,
    });
    this.#userBodies = new Shares({ each: limits.bodyBytesPerUser, together: limits.bodyMemoryBytes });
  }

  /** Requests of public routes whose answers are not out yet. */
  get strangersRequests(): number {
    return this.#strangerRequests.total;
  }

  /** Open WebSockets, signed in or not. They are requests that never end, and do not count as requests. */
  get openSockets(): number {
    return this.#openSockets;
  }

  /** Counts a socket from the switch of protocols until its connection is closed. */
  countSocket({ raw: { socket } }: FastifyRequest): void {
    if (socket.destroyed) return;
    this.#openSockets++;
    socket.once('close', () => {
      this.#openSockets--;
    });
  }

  /** Cuts a connection that sends more requests than it reads answers: nothing else would stop it from sending on. */
  cutFlood(request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const open = (this.#requestsOn.get(socket) ?? 0) + 1;
    this.#requestsOn.set(socket, open);
    onceOver({ request, reply }, () => this.#requestsOn.set(socket, (this.#requestsOn.get(socket) ?? 1) - 1));
    if (open > 1) this.#pipelined.add(request);
    if (open > this.#options.limits.requestsPerConnection) socket.destroy();
  }

  /**
   * A request that was sent behind others, and whose connection was cut before its work began. The client cannot know what became
   * of it, and one packet can hold hundreds of them. A request that is alone on its connection is carried out.
   */
  isDropped(request: FastifyRequest): boolean {
    return request.raw.socket.destroyed && this.#pipelined.has(request);
  }

  /**
   * Takes a place for a whole request of a public route, until its answer is out: a caller who asks and never reads holds
   * it. A user whom the route recognises has a share as a user. Bodies that are still arriving are counted by their bytes.
   */
  admitOpenRequest(request: FastifyRequest, reply: FastifyReply): void {
    if (!isForStrangers(request)) return;
    const user = signedInUser(request);
    const [shares, holder, message] =
      user === undefined
        ? [this.#strangerRequests, this.#addressOf(request), tooManyRequests]
        : [this.#userRequests, user, tooManyOfUser];
    const outcome = shares.take(holder);
    if (outcome === 'own_share_full') throw new AppError('rate_limited', { message });
    if (outcome === 'all_full') throw new AppError('overloaded', { retryAfterSeconds: 1 });
    onceOver({ request, reply }, () => shares.give(holder));
  }

  /**
   * Takes a place for a WebSocket before its protocol is switched, until it has signed in or its connection is closed.
   */
  admitStranger(request: FastifyRequest): Release {
    const address = this.#addressOf(request);
    const outcome = this.#strangerSockets.take(address);
    if (outcome === 'own_share_full') throw new AppError('rate_limited', { message: tooManySockets });
    if (outcome === 'all_full') throw new AppError('overloaded');
    const { socket } = request.raw;
    const release = once(() => {
      socket.off('close', release);
      this.#strangerSockets.give(address);
    });
    socket.once('close', release);
    if (socket.destroyed) release();
    return release;
  }

  /**
   * Reads the whole body. Its bytes are counted as they arrive, so what a client only announces takes no room from
   * others.
   */
  async readBody(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const { bodyLimit } = request.routeOptions;
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw bodyTooLarge(bodyLimit);
    const { uncountedBodyBytes } = this.#options.limits;
    let share: BodyShare | undefined;
    try {
      return await readWhole(payload, (bytes) => {
        if (bytes > bodyLimit) throw bodyTooLarge(bodyLimit);
        if (bytes <= uncountedBodyBytes) return;
        share ??= this.#bodyShareOf(request);
        share.growTo(bytes - uncountedBodyBytes);
      });
    } finally {
      share?.release();
    }
  }

  #bodyShareOf(request: FastifyRequest): BodyShare {
    const user = signedInUser(request);
    if (user !== undefined) return new BodyShare(this.#userBodies, user, 'You have');
    return new BodyShare(this.#strangerBodies, this.#addressOf(request), 'Your address has');
  }

  #addressOf({ raw }: FastifyRequest): string {
    return clientNetwork(sourceOf(raw, this.#options.proxies).clientIp);
  }
}

/** Routes that answer every caller, and paths that do not exist. Probes get their answer always; sockets have places of their own. */
function isForStrangers(request: FastifyRequest): boolean {
  if (isProbe(request) || request.headers.upgrade !== undefined) return false;
  return request.is404 || request.routeOptions.config.access === 'public';
}

const tooManyRequests =
  'Your address has as many requests open as it may have without signing in. Read the answers before you ask for more.';
const tooManyOfUser =
  'You have as many requests for files open as a user may have. Read the answers before you ask for more.';
const tooManySockets =
  'Your address has as many WebSockets open as it may have before they sign in. Sign in with the request that opens one.';

/** The memory that one body holds while it arrives. */
class BodyShare {
  readonly #shares: Shares;
  readonly #holder: string;
  readonly #subject: string;
  #bytes = 0;

  constructor(shares: Shares, holder: string, subject: string) {
    this.#shares = shares;
    this.#holder = holder;
    this.#subject = subject;
  }

  /** Throws when there is no room. */
  growTo(bytes: number): void {
    const outcome = this.#shares.take(this.#holder, bytes - this.#bytes);
    if (outcome === 'all_full') throw new AppError('overloaded');
    if (outcome === 'own_share_full') {
      const message = `${this.#subject} more bodies on their way than may be held at once. Send them one after the other.`;
      throw new AppError('rate_limited', { message });
    }
    this.#bytes = bytes;
  }

  release(): void {
    this.#shares.give(this.#holder, this.#bytes);
    this.#bytes = 0;
  }
}
