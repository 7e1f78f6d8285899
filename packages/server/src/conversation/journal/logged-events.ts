import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { Coverage } from '../../agents/run-contract/event-origin.ts';
import { AppError } from '../../lib/app-error.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';
import {
  answerTypes,
  type EventFilter,
  type EventStorage,
  isKept,
  type RunKey,
  type RunUnit,
} from './event-storage.ts';
import type { Outbox } from './outbox.ts';
import { presentEvent } from './stored-event.ts';

/** The number of threads whose last number is remembered; for other threads it is looked up in the log. */
const rememberedThreads = 10_000;

/**
 * Run events in a log of their own (`jsonl`, `memory`), for one process. A batch is in the log before the unit that covers it is
 * committed. When the unit fails, its events stay in the log, and the next attempt of the run drops them.
 */
export class LoggedEvents implements EventStorage {
  readonly #options;
  readonly #lock = new KeyLock();
  readonly #lastSeqs = new Map<string, number>();

  constructor(options: {
    log: EventLog;
    database: Database<ConversationTables>;
    isDeleted: (threadId: string) => Promise<boolean>;
  }) {
    this.#options = options;
  }

  async write<Result>(run: RunKey, outbox: Outbox, unit: RunUnit<Result>): Promise<Result> {
    // Takes its turn even when nothing waits: what an earlier write took must be in the log before this unit may cover it.
    await outbox.inTurn(() => this.#append(run, outbox));
    return this.#options.database.write(unit);
  }

  async list(owner: Owner, filter: EventFilter): Promise<RunEvent[]> {
    const { threadId, runId, limit, afterSeq } = filter;
    const range = { threadId, runId, scope: userScope(owner) };
    let found: LoggedEvent[] = [];
    for await (const event of this.#options.log.scan(range)) {
      if (!matches(event, filter)) continue;
      found.push(event);
      // Keeps at most two pages of a long thread in memory.
      if (found.length >= 2 * limit) found = page(found, { limit, afterSeq });
    }
    return page(found, { limit, afterSeq }).map(presentEvent);
  }

  async lastAnswers(owner: Owner, threadId: string, runIds: readonly string[]): Promise<Map<string, number>> {
    const scope = userScope(owner);
    const last = new Map<string, number>();
    for (const runId of runIds) {
      for await (const { event_type, seq } of this.#options.log.scan({ threadId, scope, runId })) {
        if (isAnswer(event_type)) last.set(runId, Math.max(seq, last.get(runId) ?? 0));
      }
    }
    return last;
  }

  async dropUncovered(run: RunKey, coverage: Coverage): Promise<number> {
    return this.#lock.run(run.threadId, async () => {
      const { log } = this.#options;
      const kept: LoggedEvent[] = [];
      let dropped = 0;
      for await (const event of log.scan({ ...run, scope: run.userId })) {
        if (isKept(event, coverage)) kept.push(event);
        else dropped += 1;
      }
      if (dropped > 0) await log.replace(run, kept);
      return dropped;
    });
  }

  async deleteThread(): Promise<void> {
    // A log is not part of a unit: `clearThread` removes the events when the unit is committed.
  }

  async deleteRun(): Promise<void> {
    // A log is not part of a unit: `clearRun` removes the events when the unit is committed.
  }

  async clearThread(threadId: string): Promise<void> {
    await this.#lock.run(threadId, () => this.#options.log.removeThread(threadId));
  }

  async clearRun(run: RunKey): Promise<void> {
    await this.#lock.run(run.threadId, () => this.#options.log.replace(run, []));
  }

  async #append(run: RunKey, outbox: Outbox): Promise<void> {
    if (outbox.size > 0) await this.#lock.run(run.threadId, () => this.#appendAlone(run, outbox));
  }

  /** A thread that is deleted while this appends is cleared in the turn that follows. */
  async #appendAlone(run: RunKey, outbox: Outbox): Promise<void> {
    const { log, isDeleted } = this.#options;
    const { threadId, runId, userId } = run;
    if (await isDeleted(threadId)) {
      throw new AppError('thread_not_found', { message: `Thread ${threadId} not found` });
    }
    const last = this.#lastSeqs.get(threadId) ?? (await this.#lastSeqInLog(threadId));
    const batch = outbox.take();
    const rows = batch.events.map((event, index) => ({
      thread_id: threadId,
      run_id: runId,
      user_id: userId,
      seq: last + index + 1,
      ...event,
    }));
    // Kept even when the write fails: a part of it may have reached the log.
    this.#remember(threadId, last + rows.length);
    try {
      await log.append(run, rows);
    } catch (error) {
      batch.putBack();
      throw error;
    }
  }

  async #lastSeqInLog(threadId: string): Promise<number> {
    let last = 0;
    for await (const { seq } of this.#options.log.scan({ threadId, scope: null })) last = Math.max(last, seq);
    return last;
  }

  /** Removes the thread that was written to longest ago first. */
  #remember(threadId: string, seq: number): void {
    this.#lastSeqs.delete(threadId);
    this.#lastSeqs.set(threadId, seq);
    if (this.#lastSeqs.size <= rememberedThreads) return;
    for (const oldest of this.#lastSeqs.keys()) {
      this.#lastSeqs.delete(oldest);
      return;
    }
  }
}

function matches(event: LoggedEvent, filter: EventFilter): boolean {
  const { category, types, taskId, beforeSeq, afterSeq } = filter;
  return (
    (category === undefined || event.category === category) &&
    (types === undefined || types.includes(event.event_type)) &&
    (beforeSeq === undefined || event.seq < beforeSeq) &&
    (afterSeq === undefined || event.seq > afterSeq) &&
    (taskId === undefined || (JSON.parse(event.metadata) as { task_id?: unknown }).task_id === taskId)
  );
}

function page(
  events: LoggedEvent[],
  { limit, afterSeq }: { limit: number; afterSeq: number | undefined },
): LoggedEvent[] {
  const sorted = events.sort((one, other) => one.seq - other.seq);
  return afterSeq === undefined ? sorted.slice(-limit) : sorted.slice(0, limit);
}

function isAnswer(type: string): boolean {
  return (answerTypes as readonly string[]).includes(type);
}
