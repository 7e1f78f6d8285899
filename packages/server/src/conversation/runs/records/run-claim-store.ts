import type { CancelAction } from '@switchyard/contract/conversation/run';
import type { Database, WriteTransaction } from '../../../platform/database/database.ts';
import { type UnitPart, unitPart } from '../../../platform/database/unit-part.ts';
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

/** The right to write a run, as long as no other process has claimed it since. */
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

/** Another process has claimed the run meanwhile, or it has ended, or it was deleted with its thread. */
export class ClaimLost extends Error {
  constructor({ runId }: Pick<Claim, 'runId'>) {
    super(`The claim on run ${runId} is lost.`);
    this.name = 'ClaimLost';
  }
}

/** Changes to runs while they are open. Every write names the state and the claim that it expects. */
export class RunClaimStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /**
   * Returns null when the run cannot be claimed: another process owns it, it has ended, or it has to wait. The claim itself
   * checks that runs of a thread are worked on first in, first out; a run that is not due yet does not hold up others.
   */
  async claim(
    { run_id, thread_id }: Pick<RunRow, 'run_id' | 'thread_id'>,
    { workerId, at }: { workerId: string; at: string },
  ): Promise<ClaimedRun | null> {
    return this.#database.write(async (trx) => {
      const [, row] = await Promise.all([
        lockRuns(trx, thread_id),
        claimedRun.first(trx, { runId: run_id, workerId, at }),
      ]);
      if (!row) return null;
      const input = await inputOfRun.first(trx, { runId: run_id });
      if (!input) throw new Error(`The run ${run_id} has no request.`);
      return { row, kwargs: input.kwargs };
    });
  }

  /** Releases the runs of a process that shuts down or is gone. Returns the threads whose runs wait again. */
  async releaseWorker(workerId: string, at: string): Promise<string[]> {
    return this.#database.write(async (trx) => {
      const released = await trx
        .updateTable('runs')
        .set({ worker_id: null, updated_at: at })
        .where('worker_id', '=', workerId)
        .where('ended_at', 'is', null)
        .returning('thread_id')
        .execute();
      return released.map(({ thread_id }) => thread_id);
    });
  }

  /** Releases one run, if it is as the caller saw it. */
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

  /** Returns the current row, whichever process owns it: for processes that look after runs. */
  async find(runId: string): Promise<RunRow | undefined> {
    return runById(this.#database.read, runId);
  }
}

/** Returns a part that fails with `ClaimLost`, or makes the claim hold until the unit has ended. */
export function confirmClaim(claim: Claim): UnitPart {
  return unitPart<ConversationTables>(async (trx) => {
    const [, row] = await Promise.all([
      lockRuns(trx, claim.threadId, { isShared: true }),
      heldClaim.first(trx, { ...claim }),
    ]);
    if (!row) throw new ClaimLost(claim);
  });
}

/** Ends a run. Returns undefined when it was not as expected; then nothing is written. */
export async function endRun(
  trx: Trx,
  expected: Claim | { runId: string; workerId: null },
  end: RunEnd,
): Promise<RunRow | undefined> {
  const { runId, workerId } = expected;
  if (workerId === null) return endedWaitingRun.first(trx, { ...end, runId });
  return endedRun.first(trx, { ...end, runId, workerId, attempt: expected.attempt });
}

/** Asks the process that owns the run to stop it. The first request counts. */
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
