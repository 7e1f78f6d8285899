import { KeyLock } from '../../lib/async/key-lock.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import type { Ownership } from '../../platform/ownership/ownership.ts';
import type { MemoryKey } from './memory-files.ts';

/** Longer than the life of a lease that a crashed replica has left behind. */
const maxWaitMs = 30_000;
/** A change takes a few milliseconds, so a process that has to wait asks again soon. */
const retryMs = 25;

/** Does one change of a memory at a time, so that none is lost; within a process in the order of the calls. */
export class MemoryLock {
  readonly #lock = new KeyLock();
  readonly #ownership: Pick<Ownership, 'tryHold'> | null;

  /** Without an ownership no other process changes these memories. */
  constructor(ownership: Pick<Ownership, 'tryHold'> | null) {
    this.#ownership = ownership;
  }

  run<Value>({ userId, agent }: MemoryKey, work: () => Promise<Value>): Promise<Value> {
    const key = `memory:${userId}/${agent ?? ''}`;
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
