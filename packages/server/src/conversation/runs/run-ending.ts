import type { CancelAction } from '@switchyard/contract/conversation/run';
import type { Clock } from '../../lib/clock.ts';
import { toIso } from '../../lib/clock.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { StreamLog } from '../../platform/stream-log/stream-log.ts';
import type { RunRecorder } from '../journal/run-recorder.ts';
import { emptyTally, type RunTotals, totalsOf } from '../journal/run-totals.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import { readSnapshot } from '../threads/thread-snapshot-store.ts';
import { settle } from '../threads/thread-store.ts';
import { recordUsage } from '../usage/usage-store.ts';
import { cancelledOutcome, failureOf, type RunOutcome, threadStatusAfter, valuesOf } from './run.ts';
import { type Claim, ClaimLost, endRun } from './run-claim-store.ts';
import type { RunEnds } from './run-ends.ts';
import { hasOpenRun, lockRuns } from './run-store.ts';

type Trx = WriteTransaction<ConversationTables>;

export interface RunEndingOptions {
  database: Database<ConversationTables>;
  streamLog: Pick<StreamLog, 'append' | 'end'>;
  ends: RunEnds;
  clock: Clock;
  /** Part of the unit that ends a run: plans the call of its webhook, and whatever else is to follow. */
  planFollowUps: (trx: Trx, run: RunRow) => Promise<void>;
  /** After the unit: other processes, webhooks and the thread that goes with its run. */
  onEnded: (run: RunRow) => void;
}

/** A run that has been ended in a unit that is not committed yet. */
export interface WrittenEnd {
  run: RunRow;
  outcome: RunOutcome;
}

/** The one way in which a run ends, whoever had it and however far it came. */
export class RunEnding {
  readonly #options: RunEndingOptions;

  constructor(options: RunEndingOptions) {
    this.#options = options;
  }

  /**
   * Run, thread, last events, totals, snapshot and title in one unit, then the end of the stream. Throws `ClaimLost` when
   * the run is somebody else's by now, or gone; then nothing is written. A bare end leaves out the last events.
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
    const totals = recorder.totals();
    const unit = async (trx: Trx): Promise<WrittenEnd> => {
      const written = await this.write(trx, { run, expected: claim, outcome, totals });
      if (!written) throw new ClaimLost(claim);
      // biome-ignore lint/nursery/useAwaitThenable: a function that need not be there is one to it that answers nothing.
      if (outcome.storeRest) await outcome.storeRest(trx);
      return written;
    };
    const written = await (isBare ? this.#options.database.write(unit) : recorder.writeClaimed(unit));
    this.announce(written);
  }

  /** Part of a unit: ends a run that nobody has begun. Null when somebody has. `announce` follows the commit. */
  async endWaiting(trx: Trx, run: RunRow, action: CancelAction): Promise<WrittenEnd | null> {
    const outcome = { ...cancelledOutcome(action), state: undefined };
    return this.write(trx, {
      run,
      expected: { runId: run.run_id, workerId: null },
      outcome,
      totals: totalsOf(emptyTally()),
    });
  }

  async write(
    trx: Trx,
    {
      run,
      expected,
      outcome,
      totals,
    }: {
      run: RunRow;
      expected: Claim | { runId: string; workerId: null };
      outcome: RunOutcome;
      totals: RunTotals;
    },
  ): Promise<WrittenEnd | null> {
    const { database, clock, planFollowUps } = this.#options;
    const at = toIso(clock());
    await lockRuns(trx, database, run.thread_id);
    const { status, error, stopReason, state } = outcome;
    const ended = await endRun(trx, expected, {
      ...totals,
      status,
      error: error?.message ?? null,
      error_name: error?.name ?? null,
      stop_reason: stopReason,
      checkpoint_id: state?.checkpointId ?? null,
      updated_at: at,
      ended_at: at,
    });
    if (!ended) return null;
    const othersOpen = await hasOpenRun(trx, run.thread_id);
    // What was never begun leaves the thread as it found it, a question to a human included.
    const left = state ?? (await lastState(trx, run.thread_id));
    await settle(trx, run.thread_id, {
      status: threadStatusAfter({ status, state: left }, { othersOpen }),
      ...(state && { state, error: failureOf(ended)?.message ?? null }),
      at,
    });
    await recordUsage(trx, ended);
    await planFollowUps(trx, ended);
    return { run: ended, outcome };
  }

  /** After the commit: streams end, and whoever waits is told. */
  announce({ run, outcome }: WrittenEnd): void {
    const { streamLog, ends, onEnded } = this.#options;
    const failure = failureOf(run);
    if (failure) {
      const { name, message } = failure;
      streamLog.append(run.run_id, 'error', JSON.stringify({ error: name, message, name }));
    }
    streamLog.end(run.run_id);
    ends.announce({ run, values: outcome.state && valuesOf(outcome.state, failure) });
    onEnded(run);
  }
}

/** With a run that changed nothing only its interrupts count. */
async function lastState(trx: Trx, threadId: string): Promise<RunOutcome['state']> {
  const snapshot = await readSnapshot(trx, threadId);
  if (!snapshot) return undefined;
  const interrupts = JSON.parse(snapshot.interrupts) as NonNullable<RunOutcome['state']>['interrupts'];
  return { values: {}, next: [], interrupts, checkpointId: null };
}
