import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClaimedRun } from '../records/run-claim-store.ts';
import type { WaitingRun } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { Place, RunLine } from './run-line.ts';
import { RunQueue } from './run-queue.ts';
import type { RunWorker } from './run-worker.ts';

const retryMs = 1_000;

/**
 * The line of a process that shares nothing: it hands runs to the executor when they are admitted, when they are due, and when
 * another run is done.
 */
export class RunScheduler implements RunLine {
  readonly listens = true;
  readonly #options;
  readonly #timer: Timer;
  readonly #queue = new RunQueue();
  /** Runs that are not due yet, by id. */
  readonly #later = new Map<string, { run: WaitingRun; cancel: () => void }>();
  readonly #running = new Set<Promise<void>>();
  /** Slots that are in use or reserved. */
  #taken = 0;
  #isClosed = false;

  constructor(options: {
    executor: Pick<RunExecutor, 'execute' | 'expect' | 'isAtWork'>;
    worker: Pick<RunWorker, 'id'>;
    /** How many runs work at the same time. */
    slots: number;
    clock: Clock;
    timer?: Timer;
    onFault: (error: unknown, run: WaitingRun) => void;
  }) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  /** Counts those that this process knows. */
  async waiting(userId: string): Promise<{ ofAll: number; ofUser: number }> {
    const later = [...this.#later.values()].filter(({ run }) => run.user_id === userId);
    return {
      ofAll: this.#queue.size + this.#later.size,
      ofUser: this.#queue.sizeOf(userId) + later.length,
    };
  }

  async open(): Promise<void> {}

  async sweep(): Promise<void> {}

  add(run: WaitingRun): void {
    const { run_id, run_at } = run;
    if (this.#isClosed || this.#queue.has(run_id) || this.#later.has(run_id)) return;
    if (this.#options.executor.isAtWork(run_id)) return;
    const delayMs = run_at === null ? 0 : Date.parse(run_at) - this.#options.clock();
    if (delayMs > 0) this.#addLater(run, delayMs);
    else {
      this.#queue.add(run);
      this.pump();
    }
  }

  reserve(run: Pick<WaitingRun, 'run_id' | 'thread_id' | 'user_id'>): Place | null {
    const { executor, slots } = this.#options;
    const workerId = this.#options.worker.id;
    if (this.#isClosed || workerId === null || this.#taken >= slots || !this.#queue.occupy(run)) return null;
    const expected = executor.expect(run.run_id);
    this.#taken += 1;
    const free = (): void => {
      expected.forget();
      this.#free(run);
    };
    const begin = (claimed: ClaimedRun): void =>
      this.#keep(expected.perform(claimed, workerId).finally(free));
    return { workerId, begin, giveUp: free };
  }

  remove(run: Pick<WaitingRun, 'run_id' | 'thread_id'>): void {
    this.#later.get(run.run_id)?.cancel();
    this.#later.delete(run.run_id);
    this.#queue.remove(run);
    // It may have been in front of others.
    this.pump();
  }

  pump(): void {
    const workerId = this.#options.worker.id;
    while (!this.#isClosed && workerId !== null && this.#taken < this.#options.slots) {
      const run = this.#queue.take();
      if (!run) return;
      this.#taken += 1;
      this.#keep(this.#execute(run, workerId).finally(() => this.#free(run)));
    }
  }

  async stop(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** The processes that find its runs hear of its lease. */
  async close(): Promise<void> {}

  #keep(running: Promise<void>): void {
    const kept: Promise<void> = running.finally(() => this.#running.delete(kept));
    this.#running.add(kept);
  }

  #free(run: Pick<WaitingRun, 'thread_id' | 'user_id'>): void {
    this.#taken -= 1;
    this.#queue.release(run);
    this.pump();
  }

  /** Never rejects. */
  async #execute(run: WaitingRun, workerId: string): Promise<void> {
    try {
      await this.#options.executor.execute(run, workerId);
    } catch (error) {
      this.#options.onFault(error, run);
      if (!this.#isClosed) this.#addLater(run, retryMs);
    }
  }

  #addLater(run: WaitingRun, delayMs: number): void {
    const cancel = this.#timer(() => {
      this.#later.delete(run.run_id);
      this.add(run);
    }, delayMs);
    this.#later.set(run.run_id, { run, cancel });
  }
}
