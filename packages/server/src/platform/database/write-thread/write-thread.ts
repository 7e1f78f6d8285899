import { Worker } from 'node:worker_threads';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import type { Call } from '../procedure.ts';
import type { Outcome } from '../sqlite-group.ts';
import type { OutcomesMessage, ThreadData, UnitMessage } from './messages.ts';
import { fromWire } from './wire-error.ts';

interface WriteThreadOptions {
  /** What runs in the thread: calls `serveProcedures`. */
  entry: URL;
  file: string;
}

/**
 * The thread that writes to the file of SQLite, seen from the one that asks it to. It starts with the first unit. Whatever
 * it does not answer for ends the process, as it would in this thread: nobody knows what it was writing.
 */
export class WriteThread {
  readonly #options: WriteThreadOptions;
  readonly #asked = new Map<number, (outcome: Outcome) => void>();
  #lastId = 0;
  #worker: Worker | undefined;
  #idle: Deferred<void> | undefined;

  constructor(options: WriteThreadOptions) {
    this.#options = options;
  }

  /** Units that it has not answered. */
  get count(): number {
    return this.#asked.size;
  }

  /** Never rejects; throws where the arguments cannot be copied. */
  write(calls: readonly Call[]): Promise<Outcome> {
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    this.#worker.postMessage({ id, calls } satisfies UnitMessage);
    return new Promise((resolve) => this.#asked.set(id, resolve));
  }

  /** Resolves when it has answered everything, and so has nothing open. */
  async idle(): Promise<void> {
    if (this.#asked.size === 0) return;
    this.#idle ??= newDeferred();
    await this.#idle.promise;
  }

  async close(): Promise<void> {
    await this.idle();
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(null);
    await ended;
  }

  #start(): Worker {
    const workerData: ThreadData = { file: this.#options.file };
    const worker = new Worker(this.#options.entry, { workerData });
    worker.on('message', (outcomes: OutcomesMessage) => this.#answer(outcomes));
    return worker;
  }

  #answer(outcomes: OutcomesMessage): void {
    for (const { id, result, failure } of outcomes) {
      const answer = this.#asked.get(id);
      this.#asked.delete(id);
      answer?.({ result, ...(failure && { failure: { error: fromWire(failure) } }) });
    }
    if (this.#asked.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
