/** The time for which a deletion can be taken back. */
const undoMs = 8_000;

interface Deletion {
  ids: ReadonlySet<string>;
  timer: number;
}

interface PendingDeletionsOptions {
  /** Deletes for good. */
  perform: (ids: readonly string[]) => void;
  onChange: () => void;
  setTimer: (work: () => void, ms: number) => number;
  clearTimer: (timer: number) => void;
}

/**
 * Files that are hidden and will be deleted unless it is taken back. The gateway keeps them until then: when the page is
 * left, what waits is deleted at once, since the person has seen it go.
 */
export class PendingDeletions {
  readonly #options: PendingDeletionsOptions;
  readonly #waiting = new Set<Deletion>();
  hidden: ReadonlySet<string> = new Set();

  constructor(options: PendingDeletionsOptions) {
    this.#options = options;
  }

  /** Returns a function that takes it back. */
  add(ids: readonly string[]): () => void {
    const { setTimer, clearTimer, perform } = this.#options;
    const deletion: Deletion = {
      ids: new Set(ids),
      timer: setTimer(() => {
        if (this.#waiting.delete(deletion)) perform(ids);
      }, undoMs),
    };
    this.#waiting.add(deletion);
    this.#show();
    return () => {
      if (!this.#waiting.delete(deletion)) return;
      clearTimer(deletion.timer);
      this.#show();
    };
  }

  /** The files stay hidden while they are being deleted; call it when that has ended. */
  settle(): void {
    this.#show();
  }

  flush(): void {
    for (const deletion of this.#waiting) {
      this.#options.clearTimer(deletion.timer);
      this.#options.perform([...deletion.ids]);
    }
    this.#waiting.clear();
  }

  #show(): void {
    this.hidden = new Set([...this.#waiting].flatMap(({ ids }) => [...ids]));
    this.#options.onChange();
  }
}
