import type { CancelAction } from '@switchyard/contract/conversation/run';
import type { Database, WriteTransaction } from '../../../platform/database/database.ts';
import { Procedure } from '../../../platform/database/procedure.ts';
import type { ConversationTables, RunRow } from '../../tables.ts';
import {
  claimedRun,
  endedRun,
  endedWaitingRun,
  heldClaim,
  inputOfRun,
  type RunEnd,
} from './run-row-store.ts';
import { lockRuns, runById } from './run-store.ts';

type Trx = WriteTransaction<ConversationTables>;

/** Who may write a run: nobody else has claimed it since. */
export interface Claim {
  runId: string;
  threadId: string;
  workerId: string;
  attempt: number;
}

export interface ClaimedRun {
  row: RunRow;
  kwargs: string;
}

/** The run has been claimed by somebody else meanwhile, has ended, or is gone with its thread. */
export class ClaimLost extends Error {
  constructor({ runId }: Pick<Claim, 'runId'>) {
    super(`The claim on run ${runId} is lost.`);
    this.name = claimLost;
  }
}

const claimLost = 'ClaimLost';

/** By its name: it may come from the thread that writes. */
export function isClaimLost(error: unknown): boolean {
  return error instanceof Error && error.name === claimLost;
}

/** What happens to runs while they are open: every write names the state and the claim that it expects. */
export class RunClaimStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /**
   * Null when the run is not to be had: it is somebody's, has ended, or has to wait. First in, first out within a thread
   * is a condition of the claim; a run that is not due yet holds up nobody.
   */
  async claim(
    { run_id, thread_id }: Pick<RunRow, 'run_id' | 'thread_id'>,
    { workerId, at }: { workerId: string; at: string },
  ): Promise<ClaimedRun | null> {
    return this.#database.write(async (trx) => {
      await lockRuns(trx, thread_id);
      const row = await claimedRun.first(trx, { runId: run_id, workerId, at });
      if (!row) return null;
      const input = await inputOfRun.first(trx, { runId: run_id });
      if (!input) throw new Error(`The run ${run_id} has no request.`);
      return { row, kwargs: input.kwargs };
    });
  }

  /** Gives back what a process had: it shuts down, or is gone. Answers how many runs wait for somebody again. */
  async releaseWorker(workerId: string, at: string): Promise<number> {
    return this.#database.write(async (trx) => {
      const released = await trx
        .updateTable('runs')
        .set({ worker_id: null, updated_at: at })
        .where('worker_id', '=', workerId)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return Number(released.numUpdatedRows);
    });
  }

  /** Gives back one run, as it was seen. */
  async release(
    { run_id, worker_id, attempt }: Pick<RunRow, 'run_id' | 'worker_id' | 'attempt'>,
    at: string,
  ): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .updateTable('runs')
        .set({ worker_id: null, updated_at: at })
        .where('run_id', '=', run_id)
        .where('worker_id', '=', worker_id)
        .where('attempt', '=', attempt)
        .where('ended_at', 'is', null)
        .execute(),
    );
  }

  /** The row as it stands, whoever owns it: for processes that look after runs. */
  async find(runId: string): Promise<RunRow | undefined> {
    return runById(this.#database.read, runId);
  }
}

/** Part of a unit: fails with `ClaimLost`; otherwise the claim holds until the unit has ended. */
export const confirmClaim = new Procedure<ConversationTables, Claim, void>(
  'runs.confirm-claim',
  async (trx, claim) => {
    await lockRuns(trx, claim.threadId, { isShared: true });
    const row = await heldClaim.first(trx, { ...claim });
    if (!row) throw new ClaimLost(claim);
  },
);

/** Ends a run. Undefined when it was not as expected: then nothing is written. */
export async function endRun(
  trx: Trx,
  expected: Claim | { runId: string; workerId: null },
  end: RunEnd,
): Promise<RunRow | undefined> {
  const { runId, workerId } = expected;
  if (workerId === null) return endedWaitingRun.first(trx, { ...end, runId });
  return endedRun.first(trx, { ...end, runId, workerId, attempt: expected.attempt });
}

/** Asks whoever has the run to stop it. What was asked first counts. */
export async function requestCancel(
  trx: Trx,
  { runId, action, at }: { runId: string; action: CancelAction; at: string },
): Promise<void> {
  await trx
    .updateTable('runs')
    .set({ cancel_action: action, cancel_requested_at: at, updated_at: at })
    .where('run_id', '=', runId)
    .where('ended_at', 'is', null)
    .where('cancel_action', 'is', null)
    .execute();
}
