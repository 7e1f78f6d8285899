import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { ConversationTables } from '../tables.ts';
import type { EventFilter, EventStorage, RunKey } from './event-storage.ts';
import { RunRecorder } from './run-recorder.ts';
import { deleteSpans } from './run-span-store.ts';
import { count, emptyTally, type RunTotals, type Tally, totalsOf } from './run-totals.ts';

export interface RecordedRun {
  threadId: string;
  runId: string;
  userId: string;
  attempt: number;
  followUpTo: string | null;
  /** Part of each of the run's units: throws when this process may no longer write for it, as `lease.confirm` does. */
  confirm?: UnitPart;
}

/** This many events are read at once when the totals of a run are counted again. */
const recountPage = 500;

/** The durable record of what happened in runs: complete for each message, in the order of `seq`. */
export class Journal {
  readonly #options;

  constructor(options: {
    storage: EventStorage;
    /** Trace content longer than this is cut. */
    maxTraceBytes: number;
    /** When false no tokens are counted; events and message counts are still written. */
    trackTokens: boolean;
    now: Clock;
    timer?: Timer;
    onFlushFailed: (error: unknown) => void;
  }) {
    this.#options = options;
  }

  async recorderFor({ threadId, runId, userId, ...run }: RecordedRun): Promise<RunRecorder> {
    const key = { threadId, runId, userId };
    const recount = (): Promise<Tally> => this.#recount(key);
    return new RunRecorder({
      timer: systemTimer,
      ...this.#options,
      run: key,
      attempt: run.attempt,
      followUpTo: run.followUpTo,
      confirm: run.confirm,
      recount,
      tally: run.attempt > 1 ? await recount() : emptyTally(),
    });
  }

  /** In pages: the oldest after a cursor, or else the newest; always ascending. */
  async events(owner: Owner, filter: EventFilter): Promise<RunEvent[]> {
    return this.#options.storage.list(owner, filter);
  }

  /** The totals of a run that has not ended, counted from its stored events. */
  async totalsSoFar(run: RunKey): Promise<RunTotals> {
    return totalsOf(await this.#recount(run));
  }

  /** Part of the unit that deletes a thread; call `clearThread` after the commit. */
  async deleteThread(trx: WriteTransaction<ConversationTables>, threadId: string): Promise<void> {
    await this.#options.storage.deleteThread(trx, threadId);
    await deleteSpans(trx, { threadId });
  }

  async clearThread(threadId: string): Promise<void> {
    await this.#options.storage.clearThread(threadId);
  }

  /** Part of the unit that deletes a run; call `clearRun` after the commit. */
  async deleteRun(trx: WriteTransaction<ConversationTables>, run: RunKey): Promise<void> {
    await this.#options.storage.deleteRun(trx, run);
    await deleteSpans(trx, run);
  }

  async clearRun(run: RunKey): Promise<void> {
    await this.#options.storage.clearRun(run);
  }

  async #recount({ threadId, runId }: RunKey): Promise<Tally> {
    const tally = emptyTally();
    let afterSeq = 0;
    for (;;) {
      const events = await this.#options.storage.list(
        { system: 'count what is stored of a run' },
        { threadId, runId, afterSeq, limit: recountPage },
      );
      for (const event of events) count(tally, event, this.#options);
      if (events.length < recountPage) return tally;
      afterSeq = events.at(-1)?.seq ?? afterSeq;
    }
  }
}
