import type { CompactBody, CompactedThread } from '@switchyard/contract/conversation/compaction';
import { say } from '@switchyard/contract/sentences/sentences';
import { leadAgentName } from '../../agents/agent-ids.ts';
import type { Compact, Compacted } from '../../agents/lead/compaction.ts';
import { viewOf } from '../../agents/state/wire-state.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import { type UnitPart, unitPart } from '../../platform/database/unit-part.ts';
import { refusal } from '../runs/records/run-request.ts';
import { hasOpenRun, lockRuns } from '../runs/records/run-store.ts';
import type { ConversationTables, ThreadRow } from '../tables.ts';
import { graphIdOf, ownedState, type SavedStates } from '../threads/saved-states.ts';
import { threadNotFound } from '../threads/thread.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { foundThread } from '../threads/thread-row-store.ts';
import type { ThreadStore } from '../threads/thread-store.ts';

/** The limit for all users together: each one waits for a model. */
const maxConcurrent = 8;

/** Compaction on request: a summary takes the place of older messages in the state of a thread. */
export class Compactions {
  readonly #options;
  #atOnce = 0;

  constructor(options: {
    access: Pick<ThreadAccess, 'requireRecord'>;
    states: Pick<SavedStates, 'current'>;
    store: Pick<ThreadStore, 'saveState'>;
    /** Null when the lead agent summarises nothing. */
    compact: Compact | null;
    modelNames: readonly string[];
    /** Throws when the user has no such agent. */
    modelOfAgent: (owner: Owner, name: string) => Promise<string | null>;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  async compact(owner: Owner, threadId: string, body: CompactBody): Promise<CompactedThread> {
    const { access, compact } = this.#options;
    const thread = await access.requireRecord(owner, threadId);
    if (!compact) throw new AppError('compaction_disabled');
    requireLeadAgent(thread);
    requireFraction(body);
    const model = await this.#modelOf(owner, body);
    if (thread.status === 'busy') throw inFlight();
    if (thread.status === 'interrupted') throw waiting();
    if (this.#atOnce >= maxConcurrent) throw new AppError('overloaded');
    this.#atOnce += 1;
    try {
      const done = await this.#perform(compact, owner, { thread, body, model });
      if (done.isCompacted) await this.#showState(owner, threadId);
      return answerOf(threadId, done);
    } finally {
      this.#atOnce -= 1;
    }
  }

  async #perform(
    compact: Compact,
    owner: Owner,
    { thread, body, model }: { thread: ThreadRow; body: CompactBody; model: string | null },
  ): Promise<Compacted> {
    const { keep = null, force: isForced = true } = body;
    const confirm = unchangedThread(thread, inFlight());
    try {
      const about = ownedState(owner, thread.thread_id, leadAgentName);
      return await compact(about, { keep, isForced, model, confirm });
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.#options.log.warn({ err: error, threadId: thread.thread_id }, 'A conversation was not compacted');
      throw new AppError('compaction_failed', { cause: error });
    }
  }

  /** Lists and pages show the new state from now on. */
  async #showState(owner: Owner, threadId: string): Promise<void> {
    const { states, store, clock } = this.#options;
    const state = await states.current(ownedState(owner, threadId, leadAgentName));
    if (state) await store.saveState(threadId, { state: viewOf(state), at: toIso(clock()) });
  }

  async #modelOf(owner: Owner, { agent_name, model_name }: CompactBody): Promise<string | null> {
    const { modelNames, modelOfAgent } = this.#options;
    const ofAgent = agent_name && agent_name !== leadAgentName ? await modelOfAgent(owner, agent_name) : null;
    const name = model_name || ofAgent;
    if (name === null || modelNames.includes(name)) return name;
    throw refusal({
      path: ['model_name'],
      type: 'value_error',
      message: `Model '${name}' is not configured; these are: ${modelNames.join(', ')}`,
      input: name,
    });
  }
}

function answerOf(
  threadId: string,
  { isCompacted, removed, preserved, checkpointId, totalTokens }: Compacted,
): CompactedThread {
  return {
    thread_id: threadId,
    compacted: isCompacted,
    reason: isCompacted ? null : 'not_enough_messages',
    removed_message_count: removed,
    preserved_message_count: preserved,
    summary_updated: isCompacted,
    checkpoint_id: checkpointId,
    total_tokens: totalTokens,
  };
}

/** The graphs of users have messages of their own, which the gateway leaves alone. */
function requireLeadAgent(thread: ThreadRow): void {
  const graphId = graphIdOf(thread);
  if (graphId === null || graphId === leadAgentName) return;
  throw new AppError('compaction_disabled', {
    message: `Context compaction is disabled. The graph '${graphId}' of this thread keeps its messages itself.`,
  });
}

function requireFraction({ keep }: CompactBody): void {
  if (keep?.type !== 'fraction' || keep.value <= 1) return;
  throw refusal({
    path: ['keep', 'value'],
    type: 'less_than_equal',
    message: 'A fraction should be less than or equal to 1',
    input: keep.value,
  });
}

function inFlight(): AppError {
  return new AppError('thread_busy', {
    message: 'Thread has a run in flight. Compact after the run finishes.',
  });
}

function waiting(): AppError {
  return new AppError('thread_busy', {
    message: 'Thread waits for an answer to its question. Compact after it is answered.',
  });
}

/**
 * Part of a unit: throws when a run of the thread is open, or its state is not the one that was read with this row. No run can be
 * admitted before the unit has ended.
 */
function unchangedThread(
  { thread_id: threadId, state_updated_at: readAt }: Pick<ThreadRow, 'thread_id' | 'state_updated_at'>,
  inFlight: AppError,
): UnitPart {
  return unitPart<ConversationTables>(async (trx) => {
    await lockRuns(trx, threadId);
    if (await hasOpenRun(trx, threadId)) throw inFlight;
    const thread = await foundThread.first(trx, { threadId });
    if (!thread) throw threadNotFound(threadId);
    if (thread.state_updated_at === readAt) return;
    throw new AppError('thread_busy', { message: say('thread_changed') });
  });
}
