import type { Job, JobsOptions, Queue, Worker } from 'bullmq';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import { isUnreachable } from '../redis/redis-fault.ts';
import { GrowingRest } from './growing-rest.ts';

/** A hint for all processes that one row may have work. It may be late, stale or doubled: the row decides. */
export interface Offer<Data> {
  /** Names the row and the state that the offer is about. While an offer has this id, another one is not added. */
  id: string;
  data: Data;
  /** The time for which it is kept back; below zero, the time since it was due. */
  delayMs: number;
  /** From 1 to `maxPriority`; the lowest goes first. Without it, offers go in the order in which they arrived. */
  priority?: number;
}

/** The outcome of an offer: nothing more, or it is handed out again after a time, to whichever process has room. */
export type OfferOutcome = { againInMs: number } | undefined;

export type OfferHandler<Data> = (data: Data) => Promise<OfferOutcome>;

/** The parts of BullMQ that a queue uses, loaded where Redis is configured. */
export interface OfferEngine {
  newQueue(name: string): Queue;
  newWorker(
    name: string,
    process: (job: Job, token?: string) => Promise<void>,
    options: { concurrency: number; lockMs: number },
  ): Worker;
  DelayedError: new () => Error;
}

/** The highest number that BullMQ takes. */
export const maxPriority = 2 ** 21 - 1;
/**
 * BullMQ keeps offers back by the clocks of the machines. An offer that has been due for longer than this is made a second time, under
 * another id: the first one may be kept back by a clock that was wrong. The row decides, so the other one changes nothing.
 */
const lateMs = 10_000;
/** One round trip carries this many. */
const offersAtOnce = 250;
const gone = { removeOnComplete: true, removeOnFail: true } as const satisfies JobsOptions;

/**
 * One queue of offers that all processes share. BullMQ keeps them until they are due, hands each one to one process,
 * and hands it out again when that process dies. It holds nothing that rows do not have as well.
 */
export class OfferQueue<Data> {
  readonly #options;
  readonly #queue: Queue;
  readonly #abandoned = newDeferred();
  /** After errors with which Redis answers: it is full, or takes no writes. A worker of BullMQ would ask again at once. */
  readonly #afterErrors: GrowingRest;
  #worker: Worker | undefined;
  #hasRoom = true;
  #isClosing = false;

  constructor(options: {
    name: string;
    engine: OfferEngine;
    /** Called for each fault, also for those that pass by themselves. */
    report: (error: unknown) => void;
    timer?: Timer | undefined;
    steadyClock?: Clock | undefined;
  }) {
    const { engine, name, report, timer, steadyClock } = options;
    this.#options = options;
    this.#afterErrors = new GrowingRest({ onEnd: () => this.#goOn(), timer, clock: steadyClock });
    this.#queue = engine.newQueue(name);
    this.#queue.on('error', report);
  }

  /** Rejects when Redis does not take them; a sweep offers the jobs of the rows again. */
  async offer(offers: readonly Offer<Data>[]): Promise<void> {
    for (let first = 0; first < offers.length; first += offersAtOnce) {
      const part = offers.slice(first, first + offersAtOnce);
      await this.#queue.addBulk(
        part.map(({ id, data, delayMs, priority = 0 }) => ({
          name: 'offer',
          data,
          opts: {
            ...gone,
            jobId: delayMs < -lateMs ? `${id}.late` : id,
            delay: Math.max(0, Math.ceil(delayMs)),
            priority,
          },
        })),
      );
    }
  }

  /** Begins to take offers, at most `concurrency` at a time. `onIdle` is called when none is due. */
  async serve(
    handle: OfferHandler<Data>,
    options: { concurrency: number; lockMs: number; onIdle?: () => void },
  ): Promise<void> {
    const { engine, name } = this.#options;
    const process = (job: Job, token?: string): Promise<void> =>
      this.#isClosing ? this.#putBack(job, token, 0) : this.#handle(handle, job, token);
    const worker = engine.newWorker(name, process, options);
    this.#worker = worker;
    worker.on('error', (error) => this.#onError(error));
    if (options.onIdle) worker.on('drained', options.onIdle);
    await worker.waitUntilReady();
    void worker.run().catch((error: unknown) => this.#onError(error));
  }

  /** Takes no more offers for now. One that is on its way still arrives; its handler may answer `{ againInMs: 0 }`. */
  rest(): void {
    this.#hasRoom = false;
    void this.#worker?.pause(true);
  }

  /** Takes offers again. */
  resume(): void {
    this.#hasRoom = true;
    this.#goOn();
  }

  /** The number of offers that wait, due or not, and of those that a process has in hand. */
  async count(): Promise<number> {
    const counts = await this.#queue.getJobCounts('wait', 'prioritized', 'delayed', 'active');
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** Removes all offers that no process has in hand. */
  async clear(): Promise<void> {
    await this.#queue.drain(true);
  }

  /** Takes no more offers, and resolves when none is in hand here. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    this.#afterErrors.close();
    await this.#worker?.close();
  }

  /** Ends at once; offers in hand are handed out again by other processes. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#afterErrors.close();
    this.#abandoned.resolve();
    // Otherwise it would wait for a Redis that is away.
    await this.#worker?.close(true);
    await this.#queue.close();
  }

  /** A connection that is lost has pauses of its own. */
  #onError(error: unknown): void {
    this.#options.report(error);
    if (this.#isClosing || isUnreachable(error)) return;
    this.#afterErrors.begin();
    void this.#worker?.pause(true);
  }

  #goOn(): void {
    const worker = this.#worker;
    if (!worker || this.#isClosing || !this.#hasRoom || this.#afterErrors.isResting) return;
    if (worker.isPaused() || !worker.isRunning()) void worker.resume();
  }

  async #handle(handle: OfferHandler<Data>, job: Job, token: string | undefined): Promise<void> {
    const outcome = await Promise.race([handle(job.data as Data), this.#abandoned.promise]);
    if (outcome) await this.#putBack(job, token, outcome.againInMs);
  }

  /** Also what is to be handed out at once is delayed, because BullMQ wakes no other process for a job with a priority that comes back. */
  async #putBack(job: Job, token: string | undefined, afterMs: number): Promise<never> {
    await job.moveToDelayed(Date.now() + Math.max(1, Math.ceil(afterMs)), token);
    throw new this.#options.engine.DelayedError();
  }
}
