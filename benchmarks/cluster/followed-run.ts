import { setTimeout as sleep } from 'node:timers/promises';
import type { TakeOverBench } from './take-over-bench.ts';

/** Ids of frames ascend over attempts, and each attempt begins with the next million. */
const idsPerAttempt = 1_000_000;
const retryMs = 20;
/** A measure that waits longer has hung. */
const maxWaitMs = 60_000;

/** A client that reads the stream of a run through nginx, and connects again behind the last frame whenever it breaks. */
export class FollowedRun {
  readonly #bench: TakeOverBench;
  readonly #run: { threadId: string; runId: string };
  readonly #over = new AbortController();
  readonly #tokens = new Map<number, number>();
  #lastId = '';
  #changed: () => void = () => undefined;
  #reading: Promise<void>;

  constructor(bench: TakeOverBench, run: { threadId: string; runId: string }) {
    this.#bench = bench;
    this.#run = run;
    this.#reading = this.#follow();
    // The failure is thrown by `token`.
    this.#reading.catch(() => undefined);
  }

  /** Resolves when this number of tokens of an attempt has come. 1 is the first attempt. */
  async token(attempt: number, count = 1): Promise<void> {
    const late = sleep(maxWaitMs, undefined, { ref: false }).then(() => {
      throw new Error(`No token ${count} of attempt ${attempt} has come.`);
    });
    late.catch(() => undefined); // after the race nothing handles this rejection
    while ((this.#tokens.get(attempt) ?? 0) < count) {
      const next = new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      await Promise.race([next, this.#reading, late]);
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#reading.catch(() => undefined); // it was ended
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        const answer = await this.#bench.openStream(this.#run, { lastId: this.#lastId, signal });
        if (answer.ok && answer.body && (await this.#read(answer.body))) break;
      } catch {
        // The replica went away with the connection.
      }
      await sleep(retryMs);
    }
    if (!signal.aborted) throw new Error('The run has ended before the measure had seen enough of it.');
  }

  /** Returns whether the stream has come to its end. */
  async #read(body: ReadableStream<Uint8Array>): Promise<boolean> {
    const decoder = new TextDecoder();
    let unread = '';
    for await (const bytes of body) {
      const blocks = (unread + decoder.decode(bytes, { stream: true })).split('\n\n');
      unread = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: ?(\d+)$/m.exec(block)?.[1];
        if (id !== undefined) this.#lastId = id;
        if (/^event: ?end$/m.test(block)) return true;
        if (/^event: ?messages/m.test(block))
          this.#count(Math.floor(Number(this.#lastId) / idsPerAttempt) + 1);
      }
    }
    return false;
  }

  #count(attempt: number): void {
    this.#tokens.set(attempt, (this.#tokens.get(attempt) ?? 0) + 1);
    this.#changed();
  }
}
