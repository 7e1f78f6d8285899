import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { type Coverage, isCovered, readOrigin } from '../../agents/event-origin.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { Results, Step } from '../../platform/database/procedure.ts';
import type { ConversationTables } from '../tables.ts';
import type { Outbox } from './outbox.ts';
import type { StoredEvent } from './stored-event.ts';

/** The run whose events are written. Its user owns them; without one they are nobody's. */
export interface RunKey {
  threadId: string;
  runId: string;
  userId: string | null;
}

/** Part of a listing: the oldest rows after `afterSeq`, the newest otherwise. Ascending in any case. */
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

/** Types of the messages of the assistant. */
export const answerTypes = ['ai_message', 'ai_tool_call'] as const;

/**
 * Where run events are kept: `db`, `jsonl` or `memory`. `seq` is unique and ascends within a thread, whoever writes.
 * Readers see what belongs to their user; `{ system }` sees everything.
 */
export interface EventStorage {
  /**
   * Commits what the outbox holds, and perhaps what comes meanwhile, with the unit of these steps or before it; answers what
   * they have answered. Where that fails the unit does not happen and the events wait on. A deleted thread takes no events.
   */
  write<const Steps extends readonly Step[]>(
    run: RunKey,
    outbox: Outbox,
    steps: Steps,
  ): Promise<Results<Steps>>;
  list(owner: Owner, filter: EventFilter): Promise<RunEvent[]>;
  /** For each run the highest `seq` among the messages of the assistant. */
  lastAnswers(owner: Owner, threadId: string, runIds: readonly string[]): Promise<Map<string, number>>;
  /** Forgets events of a run that its checkpoints do not cover, and that it has ended. Answers how many. */
  dropUncovered(run: RunKey, coverage: Coverage): Promise<number>;
  /** Part of the unit that deletes; `clearThread` or `clearRun` follow its commit, for what no unit can remove. */
  deleteThread(trx: WriteTransaction<ConversationTables>, threadId: string): Promise<void>;
  deleteRun(trx: WriteTransaction<ConversationTables>, run: RunKey): Promise<void>;
  clearThread(threadId: string): Promise<void>;
  clearRun(run: RunKey): Promise<void>;
}

/** A run that goes on has not ended, and does again what is not covered. */
export function isKept(event: Pick<StoredEvent, 'event_type' | 'origin'>, coverage: Coverage): boolean {
  if (event.event_type === 'run_end' || event.event_type === 'run_error') return false;
  return isCovered(readOrigin(event.origin), coverage);
}
