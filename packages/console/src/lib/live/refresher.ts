import { systemTimer, type Timer } from '@switchyard/client/timer';
import type { QueryKey } from '@tanstack/react-query';

/** A query is read again because of frames at most so often. */
const everyMs = 1_000;

/**
 * Reads queries again that frames have made out of date: at once, then at most once a second for each key, or more seldom, and the last time
 * after the last frame, so that what is shown at the end is right.
 */
export class Refresher {
  readonly #refresh: (key: QueryKey) => void;
  readonly #timer: Timer;
  /** The keys that were read within the last second, and whether they are to be read once more. */
  readonly #resting = new Map<string, { isWanted: boolean; cancel: () => void }>();

  constructor(refresh: (key: QueryKey) => void, timer: Timer = systemTimer) {
    this.#refresh = refresh;
    this.#timer = timer;
  }

  want(key: QueryKey, restMs = everyMs): void {
    const name = JSON.stringify(key);
    const resting = this.#resting.get(name);
    if (resting) resting.isWanted = true;
    else this.#run(name, key, restMs);
  }

  close(): void {
    for (const { cancel } of this.#resting.values()) cancel();
    this.#resting.clear();
  }

  #run(name: string, key: QueryKey, restMs: number): void {
    const cancel = this.#timer(() => {
      const { isWanted = false } = this.#resting.get(name) ?? {};
      this.#resting.delete(name);
      if (isWanted) this.#run(name, key, restMs);
    }, restMs);
    this.#resting.set(name, { isWanted: false, cancel });
    this.#refresh(key);
  }
}
