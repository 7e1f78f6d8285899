import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import { onceArrived } from './body-arrival.ts';

/** Below it a body is not worth counting: sockets are limited already. */
const smallBytes = 65_536;

/**
 * What bodies that are on their way may take together: each may be as large as its endpoint allows, but a client that
 * sends many slowly may not fill the memory with them. Counted by what their heads announce, before a byte is kept.
 */
export class BodyMemory {
  readonly #limitBytes: number;
  #takenBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** For a route whose bodies are read into memory. */
  reserve(mostBytes: number): preParsingHookHandler {
    return (request, reply, payload, done) => {
      const bytes = announcedBytes(request, mostBytes);
      if (bytes <= smallBytes) return done(null, payload);
      if (this.#takenBytes + bytes > this.#limitBytes) return done(new AppError('overloaded'), payload);
      this.#takenBytes += bytes;
      onceArrived({ request, reply }, () => {
        this.#takenBytes -= bytes;
      });
      done(null, payload);
    };
  }
}

/** A body that does not say how large it is may become as large as it may be; what is larger is refused without this. */
function announcedBytes({ headers }: FastifyRequest, mostBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return mostBytes;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > mostBytes ? 0 : bytes;
}
