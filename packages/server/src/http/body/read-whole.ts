import type { Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';

/**
 * Reads a body into one buffer. `onGrowth` is called for each part before it is kept, with the length so far, and
 * throws to refuse it. The caller then handles what the client sends after that.
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
    // A stream that was already closed emits no further event.
    if (payload.destroyed && !payload.readableEnded) onLost();
  });
}

/**
 * Parts are copied together as they arrive. Otherwise a body sent byte by byte would hold a buffer for each of its
 * bytes.
 */
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
