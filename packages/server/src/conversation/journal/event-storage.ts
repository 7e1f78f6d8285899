import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { ConversationTables } from '../tables.ts';
import type { Coverage } from './origin.ts';
import type { Outbox } from './outbox.ts';

export type Unit<Result> = (trx: WriteTransaction<ConversationTables>) => Promise<Result>;

/** The run whose events are written. Its user owns them; without one they are nobody's. */
export interface RunKey {
  threadId: string;
  runId: string;
  userId: string | null;
}

/** Part of a listing. It keeps the oldest rows after `afterSeq`, the newest otherwise; ascending in any case. */
export interface PageBounds {
  limit: number;
  beforeSeq?: number | undefined;
  afterSeq?: number | undefined;
}

export interface EventFilter extends PageBounds {
  threadId: string;
  runId?: string | undefined;
  category?: 'message' | undefined;
  types?: readonly string[] | undefined;
}

/**
 * Where run events are kept: `db`, `jsonl` or `memory`. `seq` is unique and ascends within a thread, whoever writes.
 * Readers see what belongs to their user; `{ system }` sees everything.
 */
export interface EventStorage {
  /**
   * Commits what the outbox holds when the unit begins, with the unit or before it. Where it cannot be written the unit
   * does not happen and the events wait on; they are written once, whatever else becomes of the unit.
   */
  write<Result>(run: RunKey, outbox: Outbox, unit: Unit<Result>): Promise<Result>;
  list(owner: Owner, filter: EventFilter): Promise<RunEvent[]>;
  /** For each run the highest `seq` of its messages of the assistant. */
  lastAnswers(owner: Owner, threadId: string, runIds: readonly string[]): Promise<Map<string, number>>;
  /** Forgets events of a run that its checkpoints do not cover, and how it ended. Answers how many. */
  dropUncovered(run: RunKey, coverage: Coverage): Promise<number>;
  /** Part of the unit that deletes; after it, `removeThread` or `removeRun` clears what no unit can. */
  deleteThread(trx: WriteTransaction<ConversationTables>, threadId: string): Promise<void>;
  deleteRun(trx: WriteTransaction<ConversationTables>, run: RunKey): Promise<void>;
  removeThread(threadId: string): Promise<void>;
  removeRun(run: RunKey): Promise<void>;
}
