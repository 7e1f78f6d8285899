import type { ServerResponse } from 'node:http';
import type { Timer } from '../../lib/async/timer.ts';

/** A client that takes less than this in its time counts as stalled. */
const pieceBytes = 64 * 1024;

/** The client accepted no such piece of data for too long. */
export class ReaderStalled extends Error {
  constructor(stalledMs: number) {
    super(`The client took less than ${pieceBytes / 1024} KB in ${stalledMs / 1_000} s.`);
    this.name = 'ReaderStalled';
  }
}

/** The time that data which was written before a stream breaks off may take to be sent. */
const lastWordsMs = 1_000;

/** The response of an event stream while it is written. At most one write waits for a slow client. */
export class EventConnection {
  readonly #response: ServerResponse;
  readonly #options;

  constructor(response: ServerResponse, options: { signal: AbortSignal; stalledMs: number; timer: Timer }) {
    this.#response = response;
    this.#options = options;
  }

  /** Waits while the client is behind. Throws `ReaderStalled`. */
  async write(bytes: Uint8Array): Promise<void> {
    // A frame can be large: a slow client that goes on taking its pieces is not stalled.
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      if (this.#options.signal.aborted) return;
      if (!this.#response.write(bytes.subarray(from, from + pieceBytes))) await this.#untilTaken('drain');
    }
  }

  /** Closes cleanly: the client then knows that nothing more will come. Throws `ReaderStalled`. */
  async end(): Promise<void> {
    this.#response.end();
    if (!this.#response.writableFinished) await this.#untilTaken('finish');
  }

  /** Ends the connection so that it does not look like a clean close. */
  breakOff(): void {
    const { socket, req } = this.#response;
    if (!socket || socket.destroyed) return;
    // Without chunked encoding, which a proxy may ask for, the end of the connection would look like the end of the
    // stream.
    if (req.httpVersionMajor === 1 && req.httpVersionMinor === 0) {
      socket.resetAndDestroy();
      return;
    }
    const cancel = this.#options.timer(() => socket.destroy(), lastWordsMs);
    socket.once('close', cancel);
    socket.destroySoon();
  }

  /** Also returns when the signal aborts. */
  #untilTaken(event: 'drain' | 'finish'): Promise<void> {
    const { signal, stalledMs, timer } = this.#options;
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        cancel();
        this.#response.off(event, onTaken);
        signal.removeEventListener('abort', onTaken);
      };
      const onTaken = (): void => {
        stopWaiting();
        resolve();
      };
      const cancel = timer(() => {
        stopWaiting();
        reject(new ReaderStalled(stalledMs));
      }, stalledMs);
      this.#response.once(event, onTaken);
      signal.addEventListener('abort', onTaken);
      if (signal.aborted) onTaken();
    });
  }
}
