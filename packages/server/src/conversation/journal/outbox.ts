import type { StoredEvent } from './stored-event.ts';

interface Waiting {
  ordinal: number;
  event: StoredEvent;
}

/** Events of one run that are not written yet, in the order in which they happened. */
export class Outbox {
  #waiting: Waiting[] = [];
  #recorded = 0;

  get size(): number {
    return this.#waiting.length;
  }

  add(event: StoredEvent): void {
    this.#waiting.push({ ordinal: this.#recorded, event });
    this.#recorded += 1;
  }

  /** Everything that waits. Whoever takes it has it written, or puts it back. */
  take(): Batch {
    const waiting = this.#waiting;
    this.#waiting = [];
    return {
      events: waiting.map(({ event }) => event),
      putBack: () => {
        const all = [...waiting.splice(0), ...this.#waiting];
        this.#waiting = all.sort((one, other) => one.ordinal - other.ordinal);
      },
    };
  }
}

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** The write has failed; the events wait again, before later ones. Once. */
  putBack(): void;
}
