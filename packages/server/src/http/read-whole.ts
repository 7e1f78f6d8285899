import type { Readable } from 'node:stream';
import { AppError } from '../lib/app-error.ts';

/**
 * Reads a body into one buffer. `onGrowth` hears of each part before it is kept, with the length until then, and throws
 * to refuse it. What the client sends after that is the business of whoever answers.
 */
export function readWhole(payload: Readable, onGrowth: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer();
    const onData = (part: Buffer): void => {
      try {
        onGrowth(body.length + part.length);
        body.append(part);
      } catch (error) {
        stop();
        reject(error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(body.taken());
    };
    const onLost = (cause?: unknown): void => {
      stop();
      reject(new AppError('body_malformed', { message: 'The body was cut off.', cause }));
    };
    const stop = (): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
    };
    payload.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
    // A stream that was closed before says nothing any more.
    if (payload.destroyed && !payload.readableEnded) onLost();
  });
}

/** Parts are copied together as they come: a body sent byte by byte would else hold a buffer for each of its bytes. */
class GrowingBuffer {
  #store = Buffer.alloc(0);
  length = 0;

  append(part: Buffer): void {
    const length = this.length + part.length;
    if (length > this.#store.length) this.#growTo(length);
    part.copy(this.#store, this.length);
    this.length = length;
  }

  taken(): Buffer {
    return this.#store.subarray(0, this.length);
  }

  #growTo(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#store.length));
    this.#store.copy(larger, 0, 0, this.length);
    this.#store = larger;
  }
}
