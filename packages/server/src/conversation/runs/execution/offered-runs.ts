import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import { within } from '../../../lib/async/within.ts';
import { type Clock, toIso } from '../../../lib/clock.ts';
import { minuteMs, secondMs } from '../../../lib/time-units.ts';
import type { WriteTransaction } from '../../../platform/database/database.ts';
import type { OfferOutcome, OfferQueue } from '../../../platform/offers/offer-queue.ts';
import type { StartTags } from '../../../platform/offers/start-tags.ts';
import type { ConversationTables } from '../../tables.ts';
import type { ThreadAfterRun } from '../ending/run-followers.ts';
import type { OfferableRun, RunStore, WaitingRun } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { RunWorker } from './run-leases.ts';
import { type Place, type RunLine, RunSlots } from './run-line.ts';

/** The facts about a run that an offer holds. */
export interface RunOffer {
  /** Names the run and its attempt. */
  id: string;
  run_id: string;
  thread_id: string;
}

/** A run that is due later is offered by a sweep when its time is near. */
const horizonMs = minuteMs;
const maxOffersPerSweep = 1_000;
const retryMs = secondMs;
/** A claim takes milliseconds. A process that has an offer in hand for longer than this has died with it. */
const lockMs = 5 * secondMs;
/** The end of the process waits this long for Redis. */
const closeMs = secondMs;

/**
 * Runs that wait are rows. The first one of each thread is offered to all processes, and one process with room gets the
 * offer and claims the row. The row decides: an offer that is stale changes nothing.
 */
export class OfferedRuns implements RunLine {
  readonly listens = false;
  readonly #options;
  readonly #timer: Timer;
  readonly #slots: RunSlots<Pick<WaitingRun, 'run_id' | 'thread_id'>>;
  /** Runs at work here whose end is known. What became of the others has to be looked up. */
  readonly #ended = new Set<string>();
  /** Threads whose first run may have to be offered. */
  readonly #threads = new Set<string>();
  /** Runs of which it is known that they can be offered. */
  #next: OfferableRun[] = [];
  #offering: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: {
    executor: Pick<RunExecutor, 'begin' | 'expect' | 'isAtWork'>;
    worker: Pick<RunWorker, 'id'>;
    store: Pick<RunStore, 'offerable' | 'countWaiting'>;
    queue: OfferQueue<RunOffer>;
    tags: StartTags;
    slots: number;
    /** The numbers at which a count of waiting runs may end. */
    limits: { waiting: number; waitingPerUser: number };
    clock: Clock;
    timer?: Timer;
    onFault: (error: unknown, run?: Pick<WaitingRun, 'run_id'>) => void;
  }) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#slots = new RunSlots({
      ...options,
      onFree: ({ run_id, thread_id }) => {
        if (!this.#ended.delete(run_id)) this.#look(thread_id);
        this.pump();
      },
    });
  }

  async open(): Promise<void> {
    const { queue } = this.#options;
    await queue.serve((offer) => this.#take(offer), { concurrency: 1, lockMs });
    this.#restWhenFull();
  }

  add(run: WaitingRun, { isNext } = { isNext: false }): void {
    if (isNext) this.#next.push(run);
    else this.#threads.add(run.thread_id);
    this.#offering ??= this.#offerAll();
  }

  reserve(run: Pick<WaitingRun, 'run_id' | 'thread_id' | 'user_id'>): Place | null {
    if (this.#isStopped) return null;
    const place = this.#slots.reserve(run);
    this.#restWhenFull();
    return place;
  }

  /** A run that is admitted after this end finds that nothing holds it up, so only runs that were open before may wait. */
  remove(
    { run_id, thread_id }: Pick<WaitingRun, 'run_id' | 'thread_id'>,
    { hasOpenRun }: ThreadAfterRun,
  ): void {
    if (this.#options.executor.isAtWork(run_id)) this.#ended.add(run_id);
    if (hasOpenRun) this.#look(thread_id);
  }

  pump(): void {
    if (!this.#isStopped && this.#slots.hasRoom) this.#options.queue.resume();
  }

  async waiting(
    userId: string,
    trx?: WriteTransaction<ConversationTables>,
  ): Promise<{ ofAll: number; ofUser: number }> {
    const { store, limits } = this.#options;
    return store.countWaiting(userId, limits, trx);
  }

  /** The order between owners begins again while no run waits, or when its numbers come to their end. */
  async sweep(): Promise<void> {
    this.pump();
    await this.#renumber().catch(this.#options.onFault);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await within(this.#options.queue.stop(), { limitMs: closeMs, timer: this.#timer });
  }

  async settled(): Promise<void> {
    await this.#slots.settled();
  }

  async close(threadIds: readonly string[]): Promise<void> {
    for (const threadId of threadIds) this.#look(threadId);
    await within(Promise.resolve(this.#offering), { limitMs: closeMs, timer: this.#timer });
    await within(this.#options.queue.close(), { limitMs: closeMs, timer: this.#timer });
  }

  async #renumber(): Promise<void> {
    const { queue, tags, store } = this.#options;
    const isWorn = await tags.isWorn();
    if (isWorn) await queue.clear();
    else if ((await queue.count()) > 0) return;
    await tags.reset();
    if (isWorn) await this.#offer(await store.offerable(null, this.#range()));
  }

  #restWhenFull(): void {
    if (!this.#slots.hasRoom) this.#options.queue.rest();
  }

  /** Claims the run that is offered. Resolves once it is claimed, so that the offer is gone before the run ends. */
  async #take(offer: RunOffer): Promise<OfferOutcome> {
    const { executor, tags, onFault } = this.#options;
    const slot = this.#isStopped ? null : this.#slots.take();
    if (!slot) return { againInMs: 0 };
    this.#restWhenFull();
    try {
      const begun = await executor.begin(offer, slot.workerId);
      if (begun) slot.keep(offer, begun.done);
      else slot.free();
      // The order between owners is worth no run.
      await (begun ? tags.served(offer.id) : tags.dropped(offer.id)).catch(onFault);
      return undefined;
    } catch (error) {
      slot.free();
      onFault(error, offer);
      return { againInMs: retryMs };
    } finally {
      this.pump();
    }
  }

  #look(threadId: string): void {
    this.#threads.add(threadId);
    this.#offering ??= this.#offerAll();
  }

  /** Never rejects. What cannot be offered now is offered by a sweep. */
  async #offerAll(): Promise<void> {
    const { store, onFault } = this.#options;
    while (this.#threads.size > 0 || this.#next.length > 0) {
      const next = this.#next;
      this.#next = [];
      const threadIds = [...this.#threads].slice(0, maxOffersPerSweep);
      for (const threadId of threadIds) this.#threads.delete(threadId);
      try {
        await this.#offer(next);
        if (threadIds.length > 0) await this.#offer(await store.offerable(threadIds, this.#range()));
      } catch (error) {
        onFault(error);
      }
    }
    this.#offering = undefined;
  }

  async #offer(runs: readonly OfferableRun[]): Promise<void> {
    const { queue, tags, clock } = this.#options;
    if (runs.length === 0) return;
    const requests = runs.map((run) => ({ id: idOf(run), owner: run.user_id }));
    const priorities = await tags.prioritiesOf(requests);
    await queue.offer(
      runs.map(({ run_id, thread_id, created_at, run_at, attempt }, n) => {
        const id = idOf({ run_id, attempt });
        const untilMs = Date.parse(run_at ?? created_at) - clock();
        // A run without a time of its own is due, also when it was made before the clock was set back.
        const delayMs = run_at === null ? Math.min(untilMs, 0) : untilMs;
        return { id, data: { id, run_id, thread_id }, delayMs, priority: priorities[n] ?? 1 };
      }),
    );
  }

  #range(): { at: string; dueBefore: string; limit: number } {
    const nowMs = this.#options.clock();
    return { at: toIso(nowMs), dueBefore: toIso(nowMs + horizonMs), limit: maxOffersPerSweep };
  }
}

/** A run that lost its process is offered again as a further attempt. */
function idOf({ run_id, attempt }: Pick<WaitingRun, 'run_id' | 'attempt'>): string {
  return `${run_id.replaceAll(':', '_')}.${attempt}`;
}
