import type { StoredEvent } from './stored-event.ts';

interface Waiting {
  ordinal: number;
  event: StoredEvent;
}

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** The write has failed: the events wait again, before later ones. A second call does nothing. */
  putBack(): void;
}

/** Events of one run that are not written yet, in the order in which they happened. */
export class Outbox {
  #waiting: Waiting[] = [];
  #recorded = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();

  get size(): number {
    return this.#waiting.length;
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

  /** After whatever was asked for before has ended, well or not. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastTurn.then(work, work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }
}
