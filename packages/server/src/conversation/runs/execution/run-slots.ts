import type { ClaimedRun } from '../records/run-claim-store.ts';
import type { WaitingRun } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { Place } from './run-line.ts';
import type { RunWorker } from './run-worker.ts';

type Known = Pick<WaitingRun, 'run_id' | 'thread_id'>;

/** Room for a run that is about to be claimed. */
interface TakenSlot {
  workerId: string;
  keep: (run: Known, done: Promise<void>) => void;
  free: () => void;
}

/** The runs that this process works on, at most as many as there are slots. */
export class RunSlots {
  readonly #options;
  readonly #running = new Set<Promise<void>>();
  /** Slots that are in use or reserved. */
  #taken = 0;

  constructor(options: {
    executor: Pick<RunExecutor, 'expect'>;
    worker: Pick<RunWorker, 'id'>;
    slots: number;
    /** A run is no longer at work here. */
    onFree: (run: Known) => void;
  }) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#options.worker.id !== null && this.#taken < this.#options.slots;
  }

  /** Returns null when there is no room, or no lease to work under. */
  take(): TakenSlot | null {
    const workerId = this.#options.worker.id;
    if (workerId === null || !this.hasRoom) return null;
    this.#taken += 1;
    return {
      workerId,
      keep: (run, done) => this.#keep(run, done),
      free: () => {
        this.#taken -= 1;
      },
    };
  }

  reserve(run: Known): Place | null {
    const slot = this.take();
    if (!slot) return null;
    const expected = this.#options.executor.expect(run.run_id);
    const begin = (claimed: ClaimedRun): void =>
      slot.keep(run, expected.perform(claimed, slot.workerId).finally(expected.forget));
    const giveUp = (): void => {
      expected.forget();
      slot.free();
      this.#options.onFree(run);
    };
    return { workerId: slot.workerId, begin, giveUp };
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #keep(run: Known, done: Promise<void>): void {
    const kept: Promise<void> = done.finally(() => {
      this.#running.delete(kept);
      this.#taken -= 1;
      this.#options.onFree(run);
    });
    this.#running.add(kept);
  }
}
