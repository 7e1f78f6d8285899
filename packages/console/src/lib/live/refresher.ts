import { systemTimer, type Timer } from '@switchyard/client/timer';
import type { QueryKey } from '@tanstack/react-query';

/** A frame that a task has started is up to 40 ms ahead of the lists and counts, which the gateway writes for many tasks at once. */
const afterMs = 150;
/** A query is read again because of frames at most so often. */
const everyMs = 1_000;

/**
 * Reads queries again that frames have made out of date: a moment after the first frame, then at most once a second for each key, or more
 * seldom, and the last time after the last frame, so that what is shown at the end is right.
 */
export class Refresher {
  readonly #refresh: (key: QueryKey) => void;
  readonly #timer: Timer;
  /** The keys that are read in a moment, and those that were just read; `isWanted` while they are to be read once more. */
  readonly #waiting = new Map<string, { isWanted: boolean; cancel: () => void }>();

  constructor(refresh: (key: QueryKey) => void, timer: Timer = systemTimer) {
    this.#refresh = refresh;
    this.#timer = timer;
  }

  want(key: QueryKey, restMs = everyMs): void {
    const waiting = this.#waiting.get(JSON.stringify(key));
    if (waiting) waiting.isWanted = true;
    else this.#wait(key, { isWanted: true, ms: afterMs, restMs });
  }

  close(): void {
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #wait(key: QueryKey, { isWanted, ms, restMs }: { isWanted: boolean; ms: number; restMs: number }): void {
    const name = JSON.stringify(key);
    const waiting = { isWanted, cancel: this.#timer(() => this.#end(key, restMs), ms) };
    this.#waiting.set(name, waiting);
  }

  #end(key: QueryKey, restMs: number): void {
    const name = JSON.stringify(key);
    const isWanted = this.#waiting.get(name)?.isWanted === true;
    this.#waiting.delete(name);
    if (!isWanted) return;
    this.#refresh(key);
    this.#wait(key, { isWanted: false, ms: restMs, restMs });
  }
}
