import type { CancelAction } from '@switchyard/contract/conversation/run';
import { leadAgentName } from '../../../agents/agent-ids.ts';
import { type Clock, toIso } from '../../../lib/clock.ts';
import type { Database, WriteTransaction } from '../../../platform/database/database.ts';
import type { Lastly } from '../../../platform/database/unit.ts';
import type { StreamLog } from '../../../platform/stream-log/stream-log.ts';
import type { RunRecorder } from '../../journal/run-recorder.ts';
import { emptyTally, type RunTotals, totalsOf } from '../../journal/run-totals.ts';
import type { ConversationTables, RunRow } from '../../tables.ts';
import { titleOfOwnState, titleOfTurn } from '../../threads/thread.ts';
import { readSnapshot, type SnapshotTexts, snapshotOf } from '../../threads/thread-snapshot-store.ts';
import { settle } from '../../threads/thread-store.ts';
import { insertsOfUsage } from '../../usage/usage-store.ts';
import {
  cancelledOutcome,
  failureOf,
  hasInterrupts,
  type Pause,
  pauseOf,
  type RunOutcome,
  threadStatusAfter,
  valuesOf,
} from '../records/run.ts';
import { type Claim, ClaimLost, endRun } from '../records/run-claim-store.ts';
import { failureEvent } from '../records/run-frames.ts';
import type { RunNews } from '../records/run-news.ts';
import type { RunEnd } from '../records/run-row-store.ts';
import { hasOpenRun, lockRuns } from '../records/run-store.ts';
import type { RunEnds } from './run-ends.ts';
import type { RunFollowers, ThreadAfterRun } from './run-followers.ts';

type Trx = WriteTransaction<ConversationTables>;

/** A caller has cancelled the run, which is stored, but the run was about to end otherwise. */
export class CancelStored extends Error {
  readonly action: CancelAction;

  constructor(action: CancelAction) {
    super('The run was cancelled while its end was written.');
    this.name = 'CancelStored';
    this.action = action;
  }
}

/** A run that has been ended in a unit that is not committed yet. */
export interface WrittenEnd extends EndedInThread {
  outcome: RunOutcome;
}

/** The one way in which a run ends, whichever process had it and however far it came. */
export class RunEnding {
  readonly #options;

  constructor(options: {
    database: Database<ConversationTables>;
    streamLog: Pick<StreamLog, 'append' | 'end'>;
    ends: RunEnds;
    clock: Clock;
    followers: Pick<RunFollowers, 'plan' | 'ended'>;
    news: RunNews;
    givesTitles: boolean;
  }) {
    this.#options = options;
  }

  /**
   * Writes run, thread, last events, totals, snapshot and title in one unit, then ends the stream. Fails with `ClaimLost` when
   * another process owns the run by now, or it is deleted, and with `CancelStored` when a caller was told meanwhile that the run
   * stops; then nothing is written. A bare end leaves out the last events.
   */
  async end(
    claim: Claim,
    {
      run,
      outcome,
      recorder,
      isBare = false,
    }: { run: RunRow; outcome: RunOutcome; recorder: RunRecorder; isBare?: boolean },
  ): Promise<void> {
    const { database, followers } = this.#options;
    const toWrite = this.#toWrite(run, { expected: claim, outcome, totals: recorder.totals() });
    const unit = async (trx: Trx, lastly: Lastly): Promise<EndedInThread> => {
      const ended = await endClaimedRun(trx, toWrite, lastly);
      const { cancel_action: cancelled } = ended.run;
      if (cancelled && !(outcome.obeysCancel || isBare)) throw new CancelStored(cancelled);
      await followers.plan(trx as WriteTransaction<unknown>, ended.run);
      for (const part of outcome.rest ?? []) await part(trx as WriteTransaction<unknown>);
      return ended;
    };
    const ended = await (isBare ? database.write(unit) : recorder.writeClaimed(unit));
    this.announce({ ...ended, outcome });
  }

  /** Part of a unit: ends a run that no worker has begun. Returns null when one has. `announce` follows the commit. */
  async endWaiting(
    trx: Trx,
    run: RunRow,
    { action, lastly }: { action: CancelAction; lastly: Lastly },
  ): Promise<WrittenEnd | null> {
    const outcome = { ...cancelledOutcome(action), state: undefined };
    const expected = { runId: run.run_id, workerId: null };
    const ended = await writeEnd(
      trx,
      this.#toWrite(run, { expected, outcome, totals: totalsOf(emptyTally()) }),
      lastly,
    );
    if (!ended) return null;
    await this.#options.followers.plan(trx as WriteTransaction<unknown>, ended.run);
    return { ...ended, outcome };
  }

  #toWrite(
    { thread_id, graph_id }: RunRow,
    {
      expected,
      outcome: { status, error, stopReason, state },
      totals,
    }: { expected: EndToWrite['expected']; outcome: RunOutcome; totals: RunTotals },
  ): EndToWrite {
    const { clock, givesTitles } = this.#options;
    const at = toIso(clock());
    const hasTitle = givesTitles && status !== 'error';
    return {
      threadId: thread_id,
      expected,
      end: {
        ...totals,
        status,
        error: error?.message ?? null,
        error_name: error?.name ?? null,
        stop_reason: stopReason,
        checkpoint_id: state?.checkpointId ?? null,
        updated_at: at,
        ended_at: at,
      },
      state: state ? { snapshot: snapshotOf(state), pause: pauseOf(state) } : null,
      fallbackTitle: state && hasTitle ? fallbackTitleOf(graph_id, state.values) : null,
    };
  }

  /** After the commit: ends streams and answers waiting callers. */
  announce({ run, outcome, hasOpenRun }: WrittenEnd): void {
    const { streamLog, ends, followers, news } = this.#options;
    const failure = failureOf(run);
    if (failure) {
      const { event, data } = failureEvent(failure);
      streamLog.append(run.run_id, event, data);
    }
    streamLog.end(run.run_id);
    ends.announce({ run, values: outcome.state && valuesOf(outcome.state, failure) });
    followers.ended(run, { hasOpenRun });
    news.ended(run, outcome.state && pauseOf(outcome.state));
  }
}

function fallbackTitleOf(graphId: string, values: Record<string, unknown>): string | null {
  return graphId === leadAgentName ? titleOfTurn(values) : titleOfOwnState(values, graphId);
}

/** The end of a run, before it is written. */
interface EndToWrite {
  threadId: string;
  expected: Claim | { runId: string; workerId: null };
  end: RunEnd & { updated_at: string };
  /** Null when the run changed nothing, or its state cannot be read. */
  state: { snapshot: SnapshotTexts; pause: Pause } | null;
  /** For a thread without a title: the run was stopped, or waits for a person, before its agent wrote one. */
  fallbackTitle: string | null;
}

interface EndedInThread extends ThreadAfterRun {
  run: RunRow;
}

/** Part of a unit: ends a run under a claim. Fails with `ClaimLost` when another process owns it by now, or it is deleted. */
async function endClaimedRun(trx: Trx, toWrite: EndToWrite, lastly: Lastly): Promise<EndedInThread> {
  const ended = await writeEnd(trx, toWrite, lastly);
  if (!ended) throw new ClaimLost(toWrite.expected);
  return ended;
}

/**
 * Writes run, totals, thread, snapshot, title and usage. Returns undefined when the run is not as expected; then nothing is
 * written.
 */
async function writeEnd(
  trx: Trx,
  { threadId, expected, end, state, fallbackTitle }: EndToWrite,
  lastly: Lastly,
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
    lastly,
  };
  lastly(...insertsOfUsage(ended));
  await settle(trx, threadId, settlement);
  return { run: ended, hasOpenRun: hasOpen };
}

/** For a run that changed nothing, only its interrupts count. */
async function lastPause(trx: Trx, threadId: string): Promise<Pause | undefined> {
  const snapshot = await readSnapshot(trx, threadId);
  if (!snapshot) return undefined;
  return { hasNext: false, hasInterrupts: hasInterrupts(JSON.parse(snapshot.interrupts)) };
}
