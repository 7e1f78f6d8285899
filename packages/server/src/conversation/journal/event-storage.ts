import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { type Coverage, isCovered, readOrigin } from '../../agents/run-contract/event-origin.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { Lastly } from '../../platform/database/unit.ts';
import type { ConversationTables } from '../tables.ts';
import type { Outbox } from './outbox.ts';
import type { StoredEvent } from './stored-event.ts';

/** The run whose events are written. They belong to its user; without a user they belong to no one. */
export interface RunKey {
  threadId: string;
  runId: string;
  userId: string | null;
}

/** A unit of a run. The events of the run are committed with it or before it. */
export type RunUnit<Result> = (trx: WriteTransaction<ConversationTables>, lastly: Lastly) => Promise<Result>;

/** A part of a listing: the oldest rows after `afterSeq`, or the newest rows. Always in ascending order. */
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
  /** Events that name this task in their metadata. */
  taskId?: string | undefined;
}

/** The types of the assistant's messages. */
export const answerTypes = ['ai_message', 'ai_tool_call'] as const;

/**
 * A store of run events: `db`, `jsonl` or `memory`. `seq` is unique and ascends within a thread, whichever run writes.
 * Readers see the events of their user; `{ system }` sees everything.
 */
export interface EventStorage {
  /**
   * Commits what the outbox holds, and perhaps what comes meanwhile, with this unit or before it. Returns the result of the unit.
   * When it fails, the unit does not happen and the events keep waiting. The unit itself fails when the thread is deleted: then no
   * process has a claim on the run.
   */
  write<Result>(run: RunKey, outbox: Outbox, unit: RunUnit<Result>): Promise<Result>;
  list(owner: Owner, filter: EventFilter): Promise<RunEvent[]>;
  /** For each run the highest `seq` among the messages of the assistant. */
  lastAnswers(owner: Owner, threadId: string, runIds: readonly string[]): Promise<Map<string, number>>;
  /** Forgets those events of a run that its checkpoints do not cover, and the event that it has ended. Returns how many. */
  dropUncovered(run: RunKey, coverage: Coverage): Promise<number>;
  /** Part of the unit that deletes. `clearThread` or `clearRun` follow its commit, and remove what a unit cannot remove. */
  deleteThread(trx: WriteTransaction<ConversationTables>, threadId: string): Promise<void>;
  deleteRun(trx: WriteTransaction<ConversationTables>, run: RunKey): Promise<void>;
  clearThread(threadId: string): Promise<void>;
  clearRun(run: RunKey): Promise<void>;
}

/** A run that continues has not ended, and repeats what no checkpoint covers. */
export function isKept(event: Pick<StoredEvent, 'event_type' | 'origin'>, coverage: Coverage): boolean {
  if (event.event_type === 'run_end' || event.event_type === 'run_error') return false;
  return isCovered(readOrigin(event.origin), coverage);
}
