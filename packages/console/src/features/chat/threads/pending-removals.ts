import { systemTimer, type Timer } from '@switchyard/client/timer';

interface RemovalOptions {
  remove: (id: string) => Promise<void>;
  /** The time for which a removal can be taken back. */
  afterMs: number;
  timer?: Timer;
}

interface Callbacks {
  onRemoved: () => void;
  onFailed: (error: Error) => void;
}

/** Things that are gone from the page and still there at the gateway, until it is too late to take that back. */
export class PendingRemovals {
  readonly #options: Required<RemovalOptions>;
  readonly #waiting = new Map<string, { cancel: () => void; run: () => void }>();
  readonly #listeners = new Set<() => void>();
  #hidden: ReadonlySet<string> = new Set();

  constructor({ timer = systemTimer, ...options }: RemovalOptions) {
    this.#options = { ...options, timer };
  }

  get = (): ReadonlySet<string> => this.#hidden;

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(id: string, { onRemoved, onFailed }: Callbacks): void {
    const run = () => {
      this.#waiting.delete(id);
      this.#options.remove(id).then(onRemoved, (error: Error) => {
        this.#hide(id, false);
        onFailed(error);
      });
    };
    this.#waiting.set(id, { cancel: this.#options.timer(run, this.#options.afterMs), run });
    this.#hide(id, true);
  }

  undo(id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    waiting.cancel();
    this.#waiting.delete(id);
    this.#hide(id, false);
  }

  /** Removes at once what still waits. */
  finish(): void {
    for (const { cancel, run } of [...this.#waiting.values()]) {
      cancel();
      run();
    }
  }

  #hide(id: string, isHidden: boolean): void {
    const hidden = new Set(this.#hidden);
    if (isHidden) hidden.add(id);
    else hidden.delete(id);
    this.#hidden = hidden;
    for (const listener of this.#listeners) listener();
  }
}
