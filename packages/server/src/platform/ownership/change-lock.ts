import { KeyLock } from '../../lib/async/key-lock.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import type { Ownership } from './ownership.ts';

/** Longer than the life of a lease that a crashed replica has left behind. */
const maxWaitMs = 30_000;
/** A change takes a few milliseconds, so a process that has to wait asks again soon. */
const retryMs = 25;

/**
 * Does one change of a thing at a time, among all replicas, so that none is lost. For files, which no unit of the database
 * protects. Within a process changes are made in the order of the calls.
 */
export class ChangeLock {
  readonly #lock = new KeyLock();
  readonly #ownership: Pick<Ownership, 'tryHold'> | null;

  /** Pass null when no other process changes these things. */
  constructor(ownership: Pick<Ownership, 'tryHold'> | null) {
    this.#ownership = ownership;
  }

  /** `key` is the key of the lease among replicas. */
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    return this.#lock.run(key, () => this.#amongReplicas(key, work));
  }

  async #amongReplicas<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    if (!this.#ownership) return work();
    const done: Value[] = [];
    const signal = AbortSignal.timeout(maxWaitMs);
    const once = async (): Promise<void> => void done.push(await work());
    while (!(await this.#ownership.tryHold(key, once))) await sleepWithSignal(retryMs, { signal });
    return done[0] as Value;
  }
}
