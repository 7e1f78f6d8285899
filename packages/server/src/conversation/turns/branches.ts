import type { BranchBody, ThreadBranch } from '@switchyard/contract/conversation/turns';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import type { WireState } from '../../agents/state/wire-state.ts';
import { viewOf } from '../../agents/state/wire-state.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import type { RecordedRunStore } from '../journal/recorded-run-store.ts';
import { stateOfConversation } from '../journal/shown-runs.ts';
import type { ThreadRow } from '../tables.ts';
import { graphIdOf, ownedState, type SavedStates } from '../threads/saved-states.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadRemoval } from '../threads/thread-removal.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import type { CopyOfFolders } from '../workspace/copy-folders.ts';
import type { HistorySeed } from './history-seed.ts';
import { isAtRest, lineageOf } from './state-lineage.ts';
import { isQuestion, isVisibleAnswer, lastShown, messagesIn } from './turn-messages.ts';

interface Source {
  thread: ThreadRow;
  /** The last state of the turn. */
  checkpointId: string;
  messageId: string;
  /** A run of the conversation that the branch leaves, when that is not the newest one. */
  runId: string | undefined;
  isLatest: boolean;
}

/** Keys of the metadata that describe a thread and not what runs in it. */
const ownKeys = ['deerflow_pinned', 'deerflow_branch', 'thread_id'];

/** Threads that go on from a turn of another one. */
export class Branches {
  readonly #options;

  constructor(options: {
    access: Pick<ThreadAccess, 'requireRecord'>;
    states: Pick<SavedStates, 'current' | 'pastStates' | 'copy' | 'update'>;
    store: Pick<ThreadStore, 'create' | 'giveTitle' | 'saveState'>;
    removal: Pick<ThreadRemoval, 'discard'>;
    seed: HistorySeed;
    runs: Pick<RecordedRunStore, 'marks' | 'placed'>;
    copyFolders: CopyOfFolders;
    newId: () => string;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  async create(owner: Owner, threadId: string, body: BranchBody): Promise<ThreadBranch> {
    const { access, newId, clock, store, removal } = this.#options;
    const thread = await access.requireRecord(owner, threadId);
    const source = await this.#source(owner, thread, body);
    const branchId = newId();
    const at = toIso(clock());
    const metadata = branchMetadata(source, at);
    const { assistant_id: assistantId } = thread;
    await store.create(owner, { threadId: branchId, isNewId: true, assistantId, metadata, at });
    try {
      return await this.#fill(owner, { branchId, source, title: body.title?.trim() || thread.display_name });
    } catch (error) {
      await removal.discard(branchId);
      throw error;
    }
  }

  async #fill(
    owner: Owner,
    { branchId, source, title }: { branchId: string; source: Source; title: string | null },
  ): Promise<ThreadBranch> {
    const { states, store, seed, clock } = this.#options;
    const { thread, checkpointId, messageId, runId, isLatest } = source;
    const about = ownedState(owner, branchId, graphIdOf(thread));
    await states.copy(thread.thread_id, branchId);
    // A new state that follows this turn, so that it is the newest one.
    if (!isLatest) await states.update(about, { values: null }, { checkpoint_id: checkpointId });
    if (title !== null) await store.giveTitle(branchId, title);
    const state = await states.current(about);
    if (state) await store.saveState(branchId, { state: viewOf(state), at: toIso(clock()) });
    const copied = { from: thread.thread_id, to: branchId, lastMessageId: messageId, runId };
    const seeded = await seed.copy(owner, copied);
    return {
      thread_id: branchId,
      parent_thread_id: thread.thread_id,
      parent_checkpoint_id: checkpointId,
      branched_from_message_id: messageId,
      workspace_clone_mode: await this.#copyFiles(owner, { branchId, source }),
      history_seed_mode: seeded,
    };
  }

  async #copyFiles(
    owner: Owner,
    { branchId, source }: { branchId: string; source: Source },
  ): Promise<ThreadBranch['workspace_clone_mode']> {
    if (!source.isLatest) return 'skipped_historical_turn';
    const { copyFolders, log } = this.#options;
    try {
      const isThere = await copyFolders(owner, { from: source.thread.thread_id, to: branchId });
      return isThere ? 'current_thread_best_effort' : 'not_found';
    } catch (error) {
      log.warn({ err: error, threadId: branchId }, 'The files of a thread could not be copied to its branch');
      return 'failed';
    }
  }

  async #source(owner: Owner, thread: ThreadRow, body: BranchBody): Promise<Source> {
    const { metadata, thread_id: threadId } = thread;
    if ((JSON.parse(metadata) as Record<string, unknown>).deerflow_sidecar === true)
      throw refused(say('branch_of_aside'));
    const ids = [...new Set([body.message_id, ...(body.message_ids ?? [])])];
    const { run_id: runId } = body;
    const { states, runs } = this.#options;
    const end = runId === undefined ? undefined : await stateOfConversation(runs, owner, { threadId, runId });
    if (end === null) throw refused();
    let isLatest = end === undefined;
    for await (const state of lineageOf(states, ownedState(owner, threadId, graphIdOf(thread)), end)) {
      const shown = lastShown(messagesIn(state.values));
      if (shown && ids.includes(shown.id) && isAtRest(state) && holdsTurn(state, ids)) {
        const checkpointId = state.checkpoint?.checkpoint_id ?? '';
        return { thread, checkpointId, messageId: shown.id, runId, isLatest };
      }
      isLatest = false;
    }
    throw refused();
  }
}

/** All of them are answers after a question of the user. */
function holdsTurn(state: WireState, ids: readonly string[]): boolean {
  const messages = messagesIn(state.values);
  const firstQuestion = messages.findIndex(isQuestion);
  return ids.every((id) => {
    const at = messages.findIndex((message) => message.id === id && isVisibleAnswer(message));
    return firstQuestion >= 0 && at > firstQuestion;
  });
}

function branchMetadata({ thread, checkpointId, messageId }: Source, at: string): Record<string, unknown> {
  const inherited = Object.entries(JSON.parse(thread.metadata) as Record<string, unknown>).filter(
    ([key]) => !ownKeys.includes(key) && !key.startsWith('branch_'),
  );
  return {
    ...Object.fromEntries(inherited),
    deerflow_branch: true,
    branch_parent_thread_id: thread.thread_id,
    branch_parent_checkpoint_id: checkpointId,
    branch_parent_message_id: messageId,
    branch_created_at: at,
  };
}

function refused(message?: Wording): AppError {
  return new AppError('turn_not_branchable', message === undefined ? {} : { message });
}
