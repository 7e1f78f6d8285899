import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { InstanceChange, InstanceStore } from './instance-store.ts';

/** The time by which a row may be late: on a busy worker `busy` changes thousands of times between two reads of the row. */
const delayMs = 250;

/** Writes the live state of instances to their rows: only the newest state, and many rows in one write. */
export class InstanceMarks {
  readonly #store: Pick<InstanceStore, 'changeMany'>;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: Timer;
  readonly #pending = new Map<string, InstanceChange>();
  #stopTimer: (() => void) | null = null;
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

  mark(instanceId: string, change: InstanceChange): void {
    this.#pending.set(instanceId, change);
    this.#stopTimer ??= this.#timer(() => this.#flush(), delayMs);
  }

  async settle(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    if (this.#pending.size === 0) return;
    const changes = new Map(this.#pending);
    this.#pending.clear();
    const written = this.#store.changeMany(changes).catch(this.#onFault);
    this.#writing = Promise.all([this.#writing, written]).then(() => undefined);
  }
}
