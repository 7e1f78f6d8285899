import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline, Transform, type TransformCallback } from 'node:stream';

interface BodyOptions {
  /** The number of bytes that have to come. */
  sizeBytes: number;
  /** The hash of the whole content; null for a part of it. */
  sha256: string | null;
  /** The time for which nothing may come while somebody reads. */
  silentMs: number;
  /** Makes the error for content that is not what was stored. */
  faultOf: (how: string) => Error;
}

/**
 * Passes the body of an answer on and checks it. The last bytes are held back until all of it was right, so a reader never takes
 * damaged content for whole.
 */
export function checkedBody(incoming: IncomingMessage, options: BodyOptions): Transform {
  const body = new CheckedBody(options);
  // The error of the incoming message ends the body, which reports it to its reader.
  pipeline(incoming, body, () => undefined);
  return body;
}

/** Lets the service send while the reader works. The default of 16 kB stops it at each chunk. */
const bufferedBytes = 512 * 1024;

class CheckedBody extends Transform {
  readonly #options: BodyOptions;
  readonly #hash: Hash | null;
  readonly #silence: NodeJS.Timeout;
  #held: Buffer | null = null;
  #seenBytes = 0;

  constructor(options: BodyOptions) {
    super({ highWaterMark: bufferedBytes });
    this.#options = options;
    this.#hash = options.sha256 === null ? null : createHash('sha256');
    this.#silence = setTimeout(() => this.#onSilence(), options.silentMs);
    this.#silence.unref();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#silence.refresh();
    this.#hash?.update(chunk);
    this.#seenBytes += chunk.length;
    if (this.#held) this.push(this.#held);
    this.#held = chunk;
    done();
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.#silence);
    const fault = this.#fault();
    if (!fault && this.#held) this.push(this.#held);
    done(fault);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#silence);
    this.#held = null;
    done(error);
  }

  #fault(): Error | null {
    const { sizeBytes, sha256, faultOf } = this.#options;
    if (this.#seenBytes !== sizeBytes) return faultOf(`sends ${this.#seenBytes} of ${sizeBytes} bytes`);
    return this.#hash && this.#hash.digest('hex') !== sha256 ? faultOf('sends other content') : null;
  }

  /** A reader that is slow makes the body silent too. */
  #onSilence(): void {
    const isRead = this.readableLength < this.readableHighWaterMark;
    if (isRead) this.destroy(this.#options.faultOf('sends nothing any more'));
    else this.#silence.refresh();
  }
}
