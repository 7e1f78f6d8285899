import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import { once } from '../lib/once.ts';
import { Shares } from '../lib/shares.ts';
import { clientNetwork, sourceOf, type TrustedProxies } from './client-ip.ts';
import { bodyTooLarge } from './error-mapping.ts';
import { signedInUser } from './guard.ts';
import type { HttpLimits } from './http-limits.ts';
import { readWhole } from './read-whole.ts';

interface AdmissionOptions {
  limits: HttpLimits;
  proxies: TrustedProxies;
}

/** Ends a holding. A second call does no harm. */
type Release = () => void;

/**
 * Counts what callers hold before anything that they send was checked: WebSockets before they sign in, and bytes of
 * bodies that are still arriving. Each user has a share, and each address that is not signed in has a small one. What
 * strangers hold is counted apart from what users hold, so that neither takes the room of the other.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #strangerSockets: Shares;
  readonly #strangerBodies: Shares;
  readonly #userBodies: Shares;
  #openSockets = 0;

  constructor(options: AdmissionOptions) {
    const { limits } = options;
    this.#options = options;
    this.#strangerSockets = new Shares({
      each: limits.strangerSocketsPerAddress,
      together: limits.strangerSockets,
    });
    this.#strangerBodies = new Shares({
      each: limits.strangerBodyBytesPerAddress,
      together: limits.strangerBodyBytes,
    });
    this.#userBodies = new Shares({ each: limits.bodyBytesPerUser, together: limits.bodyMemoryBytes });
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

const tooManySockets =
  'Your address has as many WebSockets open as it may have before they sign in. Sign in with the request that opens one.';

/** What one body holds while it arrives. */
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
