import type { Offer, OfferOutcome, OfferQueue } from '../offers/offer-queue.ts';
import { JobAttempts, type JobAttemptsOptions } from './job-attempts.ts';
import type { JobLane, Swept } from './job-lane.ts';
import type { DueJob } from './job-store.ts';

/** The facts about a job in an offer. `dueAtMs` is the time of the row when it was offered. */
export interface JobOffer {
  id: string;
  dueAtMs: number;
}

/** A job that is due later than this is not offered yet, so Redis holds only the jobs of the next minutes. */
export const horizonMs = 120_000;
/** More than this at once waits for a later sweep. */
export const maxOffersPerSweep = 1_000;
/** Ids that wait to be offered. The sweep finds what is beyond. */
const maxFresh = 10_000;
const afterTroubleMs = 5_000;
/** A process that has sent Redis nothing for this long has lost its offers. */
const lockMs = 30_000;

/** All jobs of one kind in this process, handed out by BullMQ. Rows are the record: offers are made from them and checked by them. */
export class OfferedLane implements JobLane {
  readonly #options;
  readonly #attempts: JobAttempts;
  /** Jobs that this process has put into a unit and not offered yet. A job that is put there again has a new entry. */
  readonly #fresh = new Map<string, { sweeps: number }>();
  #queue: OfferQueue<JobOffer> | undefined;
  readonly #handling = new Set<Promise<unknown>>();
  #stopping: Promise<void> | undefined;
  #offering: Promise<void> | undefined;
  #offerAgain = false;
  #isStopped = false;
  #isFull = false;

  constructor(
    options: JobAttemptsOptions & { openQueue: (report: (error: unknown) => void) => OfferQueue<JobOffer> },
  ) {
    this.#options = options;
    this.#attempts = new JobAttempts(options);
  }

  remember(id: string): void {
    if (this.#fresh.size < maxFresh) this.#fresh.set(id, { sweeps: 0 });
  }

  async start(): Promise<void> {
    const { kind, policy, openQueue, report } = this.#options;
    this.#queue = openQueue((error) => report({ kind, error }));
    await this.#queue.serve((offer) => this.#keep(this.#handle(offer)), {
      concurrency: policy.concurrency,
      lockMs,
      onIdle: () => {
        if (this.#isFull) void this.sweep();
      },
    });
    await this.sweep();
  }

  /** Offers what was put into units that are committed by now. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#offering !== undefined) this.#offerAgain = true;
    else this.#offering = this.#offerFresh();
  }

  /** Offers what is due soon and BullMQ may not know: it was emptied, a process has died, or its time has come near. */
  async sweep({ dueSoon }: Partial<Swept> = {}): Promise<void> {
    if (this.#isStopped) return;
    const { kind, store, report } = this.#options;
    try {
      const due = dueSoon ?? (await store.dueWithin([kind], { horizonMs, limit: maxOffersPerSweep }));
      await this.#offer(due);
      this.#isFull = due.length === maxOffersPerSweep;
      // A unit is over by then. If it was committed, this sweep or the next one has seen its row.
      for (const [id, entry] of this.#fresh) {
        if (entry.sweeps > 0) this.#fresh.delete(id);
        else entry.sweeps += 1;
      }
    } catch (error) {
      report({ kind, error });
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // It may wait for Redis, and the jobs do not.
    this.#stopping = this.#queue?.stop();
    while (this.#handling.size > 0) await Promise.all(this.#handling);
  }

  abort(): void {
    this.#attempts.abort();
  }

  /** Waits until Redis knows what this process has done. */
  async settled(): Promise<void> {
    await Promise.all([this.#stopping, this.#offering]);
  }

  async close(): Promise<void> {
    await this.#queue?.close();
  }

  async #keep<Outcome>(handled: Promise<Outcome>): Promise<Outcome> {
    this.#handling.add(handled);
    try {
      return await handled;
    } finally {
      this.#handling.delete(handled);
    }
  }

  /** The row decides: an offer that is early is kept back, and one that is stale changes nothing. */
  async #handle(offer: JobOffer): Promise<OfferOutcome> {
    const { kind, store, runner, report } = this.#options;
    try {
      const row = await store.claimOne(offer.id, runner);
      if (!row) return await this.#whenDue(offer);
      if (this.#isStopped) await store.handOver(row, runner);
      else await this.#attempts.begin(row);
      // A job that is tried again or repeated has another attempt or another time, so it needs another offer.
      await this.#offer(await store.dueAmong([row.id]));
      return undefined;
    } catch (error) {
      report({ kind, error });
      return { againInMs: afterTroubleMs };
    }
  }

  /** Keeps an offer back that is early, or whose job another process had when it died or stood still. */
  async #whenDue({ id, dueAtMs }: JobOffer): Promise<OfferOutcome> {
    const row = await this.#options.store.waitOf(id);
    if (!row) return undefined;
    // The job was moved to another time since, and was offered for that time as well.
    if (!row.isClaimed && row.dueAtMs !== dueAtMs) return undefined;
    // A lock that has ended may be renewed, or is kept for a little longer first.
    return { againInMs: Math.max(row.delayMs, row.isClaimed ? afterTroubleMs : 1) };
  }

  async #offerFresh(): Promise<void> {
    const { kind, store, report } = this.#options;
    do {
      this.#offerAgain = false;
      try {
        const asked = new Map([...this.#fresh].slice(0, maxOffersPerSweep));
        const due = await store.dueAmong([...asked.keys()]);
        await this.#offer(due);
        // One that was put into another unit meanwhile may have another time now.
        for (const { id } of due) if (this.#fresh.get(id) === asked.get(id)) this.#fresh.delete(id);
      } catch (error) {
        // The sweep offers them.
        report({ kind, error });
      }
    } while (this.#offerAgain && !this.#isStopped);
    this.#offering = undefined;
  }

  async #offer(jobs: readonly DueJob[]): Promise<void> {
    const near = jobs.filter(({ delayMs }) => delayMs <= horizonMs);
    if (near.length > 0) await this.#queue?.offer(near.map(offerOf));
  }
}

/** The same state of a row makes the same offer, which BullMQ keeps once. */
function offerOf({ id, attempt, dueAtMs, delayMs }: DueJob): Offer<JobOffer> {
  return {
    id: [id.replaceAll(':', '_'), attempt, dueAtMs].join('.'),
    data: { id, dueAtMs },
    delayMs,
  };
}
