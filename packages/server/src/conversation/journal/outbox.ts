import type { StoredEvent } from './stored-event.ts';

interface Waiting {
  ordinal: number;
  event: StoredEvent;
}

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** The write has failed: the events wait again, before later ones. */
  putBack(): void;
}

/** A batch of whose commit nobody has heard: it may be written, or not. */
export interface DoubtfulBatch {
  batch: Batch;
  firstSeq: number;
}

/** Events of one run that are not written yet, in the order in which they happened. */
export class Outbox {
  #waiting: Waiting[] = [];
  #recorded = 0;
  #doubtful: DoubtfulBatch[] = [];
  #lastTurn: Promise<unknown> = Promise.resolve();

  /** Events that wait, and those of which it is not known whether they are written. */
  get size(): number {
    return this.#doubtful.reduce((sum, { batch }) => sum + batch.events.length, this.#waiting.length);
  }

  add(event: StoredEvent): void {
    this.#waiting.push({ ordinal: this.#recorded, event });
    this.#recorded += 1;
  }

  /** Everything that waits. Whoever takes it has it written, or puts it back. */
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

  /** Whoever takes them finds out what became of them. */
  takeDoubtful(): DoubtfulBatch[] {
    return this.#doubtful.splice(0);
  }

  /** After whatever was asked for before has ended, well or not. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastTurn.then(work, work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }
}
