import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newDeferred } from '../../lib/async/deferred.ts';
import { onceOver } from './exchange-end.ts';

/**
 * Notes requests in the order in which they arrive, before it is known who sends them: checking one takes longer than
 * checking another. Each credential has a line of its own, so that no caller can hold up another.
 */
export class Arrivals {
  readonly #lines = new Map<string, Set<Arrival>>();

  /** `target` is the name of the path parameter that says what the request changes. */
  note({ request, reply, target }: { request: FastifyRequest; reply: FastifyReply; target: string }): void {
    const credential = credentialOf(request);
    const line = this.#lines.get(credential) ?? new Set<Arrival>();
    this.#lines.set(credential, line);
    const named = (request.params as Record<string, string>)[target];
    const arrival = new Arrival({
      incoming: request.raw,
      line,
      target: named,
      onLeft: () => {
        if (line.size === 0 && this.#lines.get(credential) === line) this.#lines.delete(credential);
      },
    });
    arrivals.set(request, arrival);
    onceOver({ request, reply }, () => arrival.giveUp());
  }
}

interface ArrivalOptions {
  incoming: Pick<IncomingMessage, 'complete'>;
  /** The requests with the same credential that have not taken effect yet, in the order of their arrival. */
  line: Set<Arrival>;
  target: string | undefined;
  onLeft: () => void;
}

/** The place of one request among those with the same credential. */
export class Arrival {
  readonly #incoming: Pick<IncomingMessage, 'complete'>;
  readonly #line: Set<Arrival>;
  readonly #onLeft: () => void;
  #target: string | undefined;
  #isTakingEffect = false;
  #changed = newDeferred<void>();

  constructor({ incoming, line, target, onLeft }: ArrivalOptions) {
    this.#incoming = incoming;
    this.#line = line;
    this.#target = target;
    this.#onLeft = onLeft;
    line.add(this);
  }

  /**
   * Does the work after that of earlier requests to the same target. It waits for no request whose body is still arriving. A
   * request that names its target in its body counts for every target until the body is read.
   */
  async inTurn<Result>(target: string, work: () => Promise<Result>): Promise<Result> {
    this.#target = target;
    this.#isTakingEffect = true;
    this.#change();
    try {
      for (let before = this.#next(); before; before = this.#next()) await before.#changed.promise;
      return await work();
    } finally {
      this.leave();
    }
  }

  /** The request changes nothing that has an order. */
  leave(): void {
    if (!this.#line.delete(this)) return;
    this.#onLeft();
    this.#change();
  }

  /** The exchange is over: the request was refused, or its client has gone. */
  giveUp(): void {
    if (!this.#isTakingEffect) this.leave();
  }

  /** The first request that this one waits for. */
  #next(): Arrival | undefined {
    if (!this.#line.has(this)) return undefined;
    for (const other of this.#line) {
      if (other === this) return undefined;
      if (other.#incoming.complete && (other.#target === undefined || other.#target === this.#target))
        return other;
    }
    return undefined;
  }

  #change(): void {
    const { resolve } = this.#changed;
    this.#changed = newDeferred();
    resolve();
  }
}

/** Returns the place of a request whose endpoint has `inOrderOf`; undefined for every other request. */
export function arrivalOf(request: FastifyRequest): Arrival | undefined {
  return arrivals.get(request);
}

const arrivals = new WeakMap<FastifyRequest, Arrival>();

function credentialOf({ headers }: FastifyRequest): string {
  return JSON.stringify([headers.authorization, headers['x-api-key'], headers.cookie]);
}
