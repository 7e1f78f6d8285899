/** Calls an action once, soon, and returns a function that cancels it. */
export type Schedule = (action: () => void) => () => void;

/** So many messages are applied together at most; with more waiting they are applied at once. */
const maxWaiting = 5_000;

/** Collects what arrives and hands it on once per animation frame, however much arrived. */
export class FrameBatch<T> {
  readonly #apply: (items: T[]) => void;
  readonly #schedule: Schedule;
  #waiting: T[] = [];
  #cancel: (() => void) | null = null;

  constructor(apply: (items: T[]) => void, schedule: Schedule = nextFrame) {
    this.#apply = apply;
    this.#schedule = schedule;
  }

  push(item: T): void {
    this.#waiting.push(item);
    if (this.#waiting.length >= maxWaiting) this.flush();
    else this.#cancel ??= this.#schedule(() => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#waiting.length === 0) return;
    const items = this.#waiting;
    this.#waiting = [];
    this.#apply(items);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting = [];
  }
}

const hiddenMs = 500;

/** A hidden tab has no animation frames and goes on with a timer, so that it is right when it is shown again. */
function nextFrame(action: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(action, hiddenMs);
    return () => clearTimeout(timer);
  }
  // A tab that is hidden before its frame comes would wait until it is shown.
  const timer = setTimeout(action, hiddenMs);
  const frame = requestAnimationFrame(action);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}
