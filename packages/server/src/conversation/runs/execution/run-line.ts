import type { WriteTransaction } from '../../../platform/database/database.ts';
import type { ConversationTables } from '../../tables.ts';
import type { ThreadAfterRun } from '../ending/run-followers.ts';
import type { ClaimedRun } from '../records/run-claim-store.ts';
import type { WaitingRun } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';

/** Room for a run that is not stored yet. The run can be stored as claimed, which saves a unit. */
export interface Place {
  workerId: string;
  begin: (claimed: ClaimedRun) => void;
  giveUp: () => void;
}

/** The line in which runs wait until a process has room for them. */
export interface RunLine {
  /** Adding a run that is known already changes nothing. `isNext`: it is known that no other run of its thread holds it up. */
  add(run: WaitingRun, known?: { isNext: boolean }): void;
  /** Returns null when the run has to wait its turn. The caller begins the place or gives it up. */
  reserve(run: Pick<WaitingRun, 'run_id' | 'thread_id' | 'user_id'>): Place | null;
  /** The run has ended, wherever it was. */
  remove(run: Pick<WaitingRun, 'run_id' | 'thread_id'>, thread: ThreadAfterRun): void;
  /** Begins as many runs as there is room for. */
  pump(): void;
  /** Returns how many runs wait, of all users and of one. A unit passes its transaction. */
  waiting(
    userId: string,
    trx?: WriteTransaction<ConversationTables>,
  ): Promise<{ ofAll: number; ofUser: number }>;
  /** True when this process finds runs only by messages of other processes. */
  readonly listens: boolean;
  /** Looks after the line itself, now and then. */
  sweep(): Promise<void>;
  open(): Promise<void>;
  /** Begins no more runs. */
  stop(): Promise<void>;
  /** Resolves when all runs that had begun are done. */
  settled(): Promise<void>;
  /** These threads have runs that this process has given back. The last call. */
  close(threadIds: readonly string[]): Promise<void>;
}

type RunIds = Pick<WaitingRun, 'run_id' | 'thread_id'>;

/** Room for a run that is about to be claimed. */
interface TakenSlot<Run extends RunIds> {
  workerId: string;
  keep: (run: Run, done: Promise<void>) => void;
  free: () => void;
}

/** The runs that this process works on, at most as many as there are slots. */
export class RunSlots<Run extends RunIds> {
  readonly #options;
  readonly #running = new Set<Promise<void>>();
  /** Slots that are in use or reserved. */
  #taken = 0;

  constructor(options: {
    executor: Pick<RunExecutor, 'expect'>;
    /** The lease to work under; without an id there is none. */
    worker: { readonly id: string | null };
    slots: number;
    /** A run is no longer at work here. */
    onFree: (run: Run) => void;
  }) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#options.worker.id !== null && this.#taken < this.#options.slots;
  }

  /** Returns null when there is no room, or no lease to work under. */
  take(): TakenSlot<Run> | null {
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

  reserve(run: Run): Place | null {
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

  #keep(run: Run, done: Promise<void>): void {
    const kept: Promise<void> = done.finally(() => {
      this.#running.delete(kept);
      this.#taken -= 1;
      this.#options.onFree(run);
    });
    this.#running.add(kept);
  }
}
