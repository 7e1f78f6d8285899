import type { ThreadAfterRun } from '../ending/run-followers.ts';
import type { ClaimedRun } from '../records/run-claim-store.ts';
import type { WaitingRun } from '../records/run-store.ts';

/** Room for a run that is not stored yet. The run can be stored as claimed, which saves a unit. */
export interface Place {
  workerId: string;
  begin: (claimed: ClaimedRun) => void;
  giveUp: () => void;
}

/** Where runs wait until a process has room for them. */
export interface RunLine {
  /** Adding a run that is known already changes nothing. `isNext`: it is known that no other run of its thread holds it up. */
  add(run: WaitingRun, known?: { isNext: boolean }): void;
  /** Returns null when the run has to wait its turn. The caller begins the place or gives it up. */
  reserve(run: Pick<WaitingRun, 'run_id' | 'thread_id' | 'user_id'>): Place | null;
  /** The run has ended, wherever it was. */
  remove(run: Pick<WaitingRun, 'run_id' | 'thread_id'>, thread: ThreadAfterRun): void;
  /** Begins as many runs as there is room for. */
  pump(): void;
  /** How many runs wait, of all users and of one. */
  waiting(userId: string): Promise<{ ofAll: number; ofUser: number }>;
  /** True when this process finds runs only by what other processes tell it. */
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
