import type { Mount } from '@switchyard/contract/conversation/mounts';
import type {
  CancelAction,
  Run,
  RunCreate,
  RunStatus,
  StreamMode,
} from '@switchyard/contract/conversation/run';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { ConversationTables, RunRow } from '../tables.ts';

/** Who starts a run, and through which mount. */
export interface RunCaller {
  userId: string;
  mount: Mount;
}

/** A run by its id; in this thread, where one is named. */
export interface RunName {
  threadId: string | null;
  runId: string;
}

/** How a run ended, and the values that it left. */
export interface RunResult {
  run: RunRow;
  status: RunStatus;
  values: Record<string, unknown>;
}

export interface StartedRun {
  run: RunRow;
  /** What is to happen when the connection that asked for it goes. */
  onDisconnect: 'cancel' | 'continue';
}

export interface FrameQuery {
  /** The last id that the reader has; 0 from the start. */
  after: number;
  /** Frames of other modes are left out; null leaves out none. */
  modes: readonly StreamMode[] | null;
  signal: AbortSignal;
}

export interface RunListQuery {
  limit?: number;
  offset?: number;
  status?: RunStatus;
  select?: (keyof Run)[];
}

/** What can be done with runs. Whose a thread or run is, is decided here. */
export declare class Runs {
  /** Answered when the run is stored. Without a thread it gets one. */
  start(caller: RunCaller, threadId: string | null, body: RunCreate): Promise<StartedRun>;
  get(owner: Owner, name: RunName): Promise<Run>;
  list(owner: Owner, threadId: string, query: RunListQuery): Promise<Partial<Run>[]>;
  /** Waits for the end. Rejects with the signal's reason. */
  result(owner: Owner, name: RunName, signal: AbortSignal): Promise<RunResult>;
  /** Encoded events, kept ones first, then live ones. Its end is the end of the run; otherwise it throws. */
  frames(owner: Owner, name: RunName, query: FrameQuery): AsyncGenerator<Uint8Array, void, undefined>;
  /** Answered when it is stored that the run is to stop. */
  cancel(owner: Owner, name: RunName, action: CancelAction): Promise<void>;
  delete(owner: Owner, name: RunName): Promise<void>;

  /** For who deletes a thread: cancels what is open in it and waits for a while until it has ended. */
  stopWork(threadId: string): Promise<'stopped' | 'still_running'>;
  hasOpenRun(threadId: string): Promise<boolean>;
  /** Part of the unit that deletes a thread. Throws `thread_busy` where a run has begun meanwhile. */
  forgetRuns(trx: WriteTransaction<ConversationTables>, threadId: string): Promise<void>;

  /** Begins to work on runs: those that wait, and those that a process left behind. */
  open(): Promise<void>;
  /** Gives back what it works on, so that the next process goes on with it. */
  close(): Promise<void>;
}
