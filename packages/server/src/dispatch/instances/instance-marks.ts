import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { InstanceChange, InstanceStore } from './instance-store.ts';

/**
 * The time by which a row may be late. `soon`: what a person calls its state has changed, and reads of the row wait for it. `usual`: what it
 * does has changed: on a busy worker that is thousands of times between two reads, claims wait for the row while it is written, and other
 * replicas have heard of it. `rarely`: it was only heard of again.
 */
const delayMs = { soon: 250, usual: 2_000, rarely: 10_000 };

/** Writes the live state of instances to their rows: only the newest state, and many rows in one write. */
export class InstanceMarks {
  readonly #store: Pick<InstanceStore, 'changeMany'>;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: Timer;
  readonly #pending = new Map<string, InstanceChange>();
  #timers: Partial<Record<keyof typeof delayMs, () => void>> = {};
  #writing: Promise<void> = Promise.resolve();

  constructor(options: {
    store: Pick<InstanceStore, 'changeMany'>;
    onFault: (error: unknown) => void;
    timer?: Timer;
  }) {
    this.#store = options.store;
    this.#onFault = options.onFault;
    this.#timer = options.timer ?? systemTimer;
  }

  mark(instanceId: string, change: InstanceChange, when: keyof typeof delayMs): void {
    this.#pending.set(instanceId, change);
    this.#timers[when] ??= this.#timer(() => this.#flush(), delayMs[when]);
  }

  async settle(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    for (const stop of Object.values(this.#timers)) stop();
    this.#timers = {};
    if (this.#pending.size === 0) return;
    const changes = new Map(this.#pending);
    this.#pending.clear();
    const written = this.#store.changeMany(changes).catch(this.#onFault);
    this.#writing = Promise.all([this.#writing, written]).then(() => undefined);
  }
}
