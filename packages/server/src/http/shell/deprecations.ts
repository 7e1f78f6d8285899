import type { Deprecation } from '@switchyard/contract/endpoint';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { dayMs, secondMs } from '../../lib/time-units.ts';

/**
 * Tells the callers of an address that goes, in the headers of RFC 9745 and RFC 8594, and the operator in the log, at most once a
 * day for each address.
 */
export class Deprecations {
  readonly #clock: Clock;
  /** When each address was last named in the log. */
  readonly #loggedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns what to do with each request to the address. */
  announce(address: string, { since, until, instead }: Deprecation): onRequestHookHandler {
    const headers = {
      deprecation: `@${Date.parse(since) / secondMs}`,
      sunset: new Date(until).toUTCString(),
    };
    return (request, reply, done) => {
      reply.headers(headers);
      this.#log(request, address, { until, instead });
      done();
    };
  }

  #log(request: FastifyRequest, address: string, about: Pick<Deprecation, 'until' | 'instead'>): void {
    const nowMs = this.#clock();
    if (nowMs - (this.#loggedMs.get(address) ?? Number.NEGATIVE_INFINITY) < dayMs) return;
    this.#loggedMs.set(address, nowMs);
    request.log.warn({ address, ...about }, 'A client uses an address that is deprecated');
  }
}
