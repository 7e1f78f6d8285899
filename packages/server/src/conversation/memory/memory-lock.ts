import type { ChangeLock } from '../../platform/ownership/change-lock.ts';
import type { MemoryKey } from './memory-files.ts';

/** Does one change of a memory at a time, so that none is lost. */
export class MemoryLock {
  readonly #changes: ChangeLock;

  constructor(changes: ChangeLock) {
    this.#changes = changes;
  }

  run<Value>({ userId, agent }: MemoryKey, work: () => Promise<Value>): Promise<Value> {
    return this.#changes.run(`memory:${userId}/${agent ?? ''}`, work);
  }
}
