import type { WriteTransaction } from '../../../platform/database/database.ts';
import type { ConversationTables, RunRow } from '../../tables.ts';
import { readSnapshot, type SnapshotTexts } from '../../threads/thread-snapshot-store.ts';
import { settle } from '../../threads/thread-store.ts';
import { recordUsage } from '../../usage/usage-store.ts';
import { failureOf, hasInterrupts, type Pause, threadStatusAfter } from '../records/run.ts';
import { type Claim, ClaimLost, endRun } from '../records/run-claim-store.ts';
import type { RunEnd } from '../records/run-row-store.ts';
import { hasOpenRun, lockRuns } from '../records/run-store.ts';
import type { ThreadAfterRun } from './run-followers.ts';

type Trx = WriteTransaction<ConversationTables>;

/** The end of a run, before it is written. */
export interface EndToWrite {
  threadId: string;
  expected: Claim | { runId: string; workerId: null };
  end: RunEnd & { updated_at: string };
  /** Null when the run changed nothing, or its state cannot be read. */
  state: { snapshot: SnapshotTexts; pause: Pause } | null;
  /** For a thread without a title: the run was stopped, or waits for a person, before its agent wrote one. */
  fallbackTitle: string | null;
}

export interface EndedInThread extends ThreadAfterRun {
  run: RunRow;
}

/** Part of a unit: ends a run under a claim. Fails with `ClaimLost` when another process owns it by now, or it is deleted. */
export async function endClaimedRun(trx: Trx, toWrite: EndToWrite): Promise<EndedInThread> {
  const ended = await writeEnd(trx, toWrite);
  if (!ended) throw new ClaimLost(toWrite.expected);
  return ended;
}

/**
 * Writes run, totals, thread, snapshot, title and usage. Returns undefined when the run is not as expected; then nothing is
 * written.
 */
export async function writeEnd(
  trx: Trx,
  { threadId, expected, end, state, fallbackTitle }: EndToWrite,
): Promise<EndedInThread | undefined> {
  const [, ended, hasOpen] = await Promise.all([
    lockRuns(trx, threadId),
    endRun(trx, expected, end),
    hasOpenRun(trx, threadId),
  ]);
  if (!ended) return undefined;
  // A run that never began leaves the thread as it found it, including a question to a human.
  const pause = state ? state.pause : await lastPause(trx, threadId);
  const settlement = {
    status: threadStatusAfter({ status: end.status, pause }, { othersOpen: hasOpen }),
    hasRunEnded: true,
    fallbackTitle,
    ...(state && { snapshot: state.snapshot, error: failureOf(ended)?.message ?? null }),
    at: end.updated_at,
  };
  await Promise.all([settle(trx, threadId, settlement), recordUsage(trx, ended)]);
  return { run: ended, hasOpenRun: hasOpen };
}

/** For a run that changed nothing, only its interrupts count. */
async function lastPause(trx: Trx, threadId: string): Promise<Pause | undefined> {
  const snapshot = await readSnapshot(trx, threadId);
  if (!snapshot) return undefined;
  return { hasNext: false, hasInterrupts: hasInterrupts(JSON.parse(snapshot.interrupts)) };
}
