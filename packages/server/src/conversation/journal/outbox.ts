import type { StoredEvent } from './stored-event.ts';

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** The write has failed: the events wait again, before later ones. */
  putBack(): void;
}

/** A batch whose commit was not confirmed: it may or may not have been written. */
export interface DoubtfulBatch {
  batch: Batch;
  firstSeq: number;
}

/** The events of one run that are not written yet, in the order in which they happened. */
export class Outbox {
  #waiting: { ordinal: number; event: StoredEvent }[] = [];
  #recorded = 0;
  #doubtful: DoubtfulBatch[] = [];
  #lastTurn: Promise<unknown> = Promise.resolve();

  /** Counts events that wait, and events that may or may not be written. */
  get size(): number {
    return this.#doubtful.reduce((sum, { batch }) => sum + batch.events.length, this.#waiting.length);
  }

  add(event: StoredEvent): void {
    this.#waiting.push({ ordinal: this.#recorded, event });
    this.#recorded += 1;
  }

  /** Forgets the newest event, if it still waits. */
  dropLast(): void {
    const last = this.#waiting.at(-1);
    if (last?.ordinal === this.#recorded - 1) this.#waiting.pop();
  }

  /** Takes everything that waits. The caller writes it or puts it back. */
  take(): Batch {
    const taken = this.#waiting;
    this.#waiting = [];
    return {
      events: taken.map(({ event }) => event),
      putBack: () => {
        const all = [...taken.splice(0), ...this.#waiting];
        this.#waiting = all.sort((one, other) => one.ordinal - other.ordinal);
      },
    };
  }

  get isInDoubt(): boolean {
    return this.#doubtful.length > 0;
  }

  doubt(doubtful: DoubtfulBatch): void {
    this.#doubtful.push(doubtful);
  }

  /** Takes the doubtful batches. The caller finds out whether they were written. */
  takeDoubtful(): DoubtfulBatch[] {
    return this.#doubtful.splice(0);
  }

  /** Does the work after all earlier work has ended, whether that succeeded or failed. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastTurn.then(work, work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }
}
