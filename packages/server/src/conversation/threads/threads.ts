import type { Thread } from '@switchyard/contract/conversation/thread';
import type { ThreadCheckpoints } from '../../agents/checkpoints/thread-checkpoint-store.ts';
import type { StateUpdate } from '../../agents/state/state-update.ts';
import { viewOf, type WireState } from '../../agents/state/wire-state.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { unitPart } from '../../platform/database/unit-part.ts';
import type { ThreadTtl } from '../expiry/thread-ttl-store.ts';
import type { MountRules } from '../mount-rules.ts';
import type { ConversationTables, ThreadRow } from '../tables.ts';
import { type GraphFor, graphIdOf, ownedState, type SavedStates } from './saved-states.ts';
import { threadNotFound, titleByHand } from './thread.ts';
import type { ThreadAccess } from './thread-access.ts';
import { type Metadata, withoutReserved } from './thread-metadata.ts';
import type { ThreadRemoval } from './thread-removal.ts';
import type { ThreadStore } from './thread-store.ts';
import {
  listedValues,
  noState,
  type ShownState,
  shownSnapshot,
  threadView,
  threadWithoutRecord,
} from './thread-view.ts';

export interface ThreadRequest {
  threadId: string | null;
  assistantId: string | null;
  metadata: Metadata;
  ifExists: 'raise' | 'do_nothing' | null;
  ttl?: ThreadTtl | null;
  /** The steps of the initial state; each becomes a checkpoint. */
  supersteps: StateUpdate[][];
}

/** This many threads of an assistant are read before they are deleted. */
const threadsAtOnce = 100;

export type PruneStrategy = 'delete' | 'keep_latest';

/** Operations on threads, apart from lists and states. */
export class Threads {
  readonly #options;

  constructor(options: {
    store: ThreadStore;
    access: ThreadAccess;
    removal: ThreadRemoval;
    checkpoints: Pick<ThreadCheckpoints, 'exist'>;
    states: SavedStates;
    /** Throws `thread_busy` when a run of the thread is open. */
    requireNoOpenRun: (trx: WriteTransaction<ConversationTables>, threadId: string) => Promise<void>;
    graphFor: GraphFor;
    clock: Clock;
    newId: () => string;
  }) {
    this.#options = options;
  }

  async create(owner: Owner, requested: ThreadRequest, rules: MountRules): Promise<Thread> {
    const { store, newId } = this.#options;
    const { thread, isNew } = await store.create(owner, {
      threadId: requested.threadId ?? newId(),
      isNewId: requested.threadId === null,
      assistantId: requested.assistantId,
      metadata: withoutReserved(requested.metadata),
      ttl: requested.ttl ?? null,
      at: this.#now(),
    });
    if (isNew && requested.supersteps.length > 0) return this.#begin(owner, thread, { ...requested, rules });
    const ifExists = requested.ifExists ?? (rules.existingThread === 'conflict' ? 'raise' : 'do_nothing');
    if (isNew) return shown(thread, noState, rules);
    if (ifExists === 'raise') throw new AppError('thread_exists');
    return this.#listed(thread, rules);
  }

  async get(owner: Owner, threadId: string): Promise<Thread> {
    const { access, store, checkpoints } = this.#options;
    const thread = await access.require(owner, threadId, { mustExist: false });
    if (!thread) return this.#withoutRecord(owner, threadId);
    const snapshot = await store.snapshot(threadId);
    if (snapshot && thread.status !== 'busy') return threadView(thread, shownSnapshot(snapshot));
    if (!(await checkpoints.exist(threadId))) return threadView(thread, noState);
    return threadView(thread, await this.#liveState(owner, threadId));
  }

  async patch(
    owner: Owner,
    threadId: string,
    {
      title,
      metadata,
      ttl,
      rules,
    }: { title: string | null; metadata: Metadata; ttl: ThreadTtl | null; rules: MountRules },
  ): Promise<Thread> {
    const { access, store } = this.#options;
    await access.require(owner, threadId, { mustExist: true });
    if (title !== null) await store.giveTitle(threadId, title);
    const change = { metadata: withoutReserved(metadata), ttl, at: this.#now() };
    const thread = await store.mergeMetadata(owner, threadId, change);
    if (!thread) throw threadNotFound(threadId);
    return this.#listed(thread, rules);
  }

  /** Deletes the threads whose last run was of this assistant. One that works is stopped first. */
  async deleteOf(owner: Owner, assistantId: string): Promise<void> {
    const { store, removal } = this.#options;
    for (;;) {
      const threads = await store.ofAssistant(owner, assistantId, threadsAtOnce);
      for (const thread of threads) await removal.remove(thread);
      if (threads.length < threadsAtOnce) return;
    }
  }

  async delete(owner: Owner, threadId: string): Promise<void> {
    const { access, removal } = this.#options;
    await removal.remove(await access.requireRecord(owner, threadId));
  }

  /**
   * A thread of the caller with the same states, and the same metadata unless others are given. Runs, events and files are not
   * copied.
   */
  async copy(
    owner: Owner,
    threadId: string,
    { rules, metadata: given = null }: { rules: MountRules; metadata?: Metadata | null },
  ): Promise<Thread> {
    const { access, checkpoints, store, states, newId } = this.#options;
    const source = await access.require(owner, threadId, { mustExist: false });
    const hasStates = await checkpoints.exist(threadId);
    if (!source && !hasStates) throw threadNotFound(threadId);
    const metadata = given ? withoutReserved(given) : (JSON.parse(source?.metadata ?? '{}') as Metadata);
    const copyId = newId();
    const { thread } = await store.create(owner, {
      threadId: copyId,
      isNewId: true,
      assistantId: source?.assistant_id ?? null,
      metadata: { ...metadata, thread_id: copyId },
      at: this.#now(),
    });
    if (!hasStates) return this.#listed(thread, rules);
    const title = titleByHand(source);
    return this.#orDiscard(thread, async () => {
      if (title !== null) await store.giveTitle(copyId, title);
      await states.copy(threadId, copyId);
      return this.#settled(owner, thread, { graphId: null, rules });
    });
  }

  /** Returns how many threads were deleted or cut. Ids that the caller has no thread of are left out. */
  async prune(owner: Owner, threadIds: readonly string[], strategy: PruneStrategy): Promise<number> {
    const { access, states, removal, requireNoOpenRun } = this.#options;
    const threads: ThreadRow[] = [];
    for (const threadId of new Set(threadIds)) {
      const thread = await access.find(owner, threadId);
      if (thread) threads.push(thread);
    }
    if (strategy === 'delete') {
      for (const thread of threads) await removal.remove(thread);
      return threads.length;
    }
    if (threads.some(({ status }) => status === 'busy')) throw new AppError('thread_busy');
    for (const { thread_id: threadId } of threads) {
      const confirm = unitPart<ConversationTables>((trx) => requireNoOpenRun(trx, threadId));
      await states.prune(threadId, { keepLatest: 1 }, confirm);
    }
    return threads.length;
  }

  #now(): string {
    return toIso(this.#options.clock());
  }

  async #begin(
    owner: Owner,
    thread: ThreadRow,
    { supersteps, assistantId, rules }: ThreadRequest & { rules: MountRules },
  ): Promise<Thread> {
    const { states, graphFor } = this.#options;
    return this.#orDiscard(thread, async () => {
      const graphId = graphIdOf(thread) ?? (await graphFor(owner, assistantId));
      const ignoresUnknown = rules.unknownChannels === 'ignore';
      const steps = supersteps.map((updates) => updates.map((update) => ({ ...update, ignoresUnknown })));
      await states.bulkUpdate(ownedState(owner, thread.thread_id, graphId), steps);
      return this.#settled(owner, thread, { graphId, rules });
    });
  }

  /** The thread with what its states say about it. */
  async #settled(
    owner: Owner,
    thread: ThreadRow,
    { graphId, rules }: { graphId: string | null; rules: MountRules },
  ): Promise<Thread> {
    const { states, store } = this.#options;
    const state = await states.current(ownedState(owner, thread.thread_id, graphId));
    if (state) await store.saveState(thread.thread_id, { state: viewOf(state), at: this.#now() });
    const settled = await store.find(thread.thread_id);
    if (!settled) throw threadNotFound(thread.thread_id);
    return this.#listed(settled, rules);
  }

  /** A thread whose creation was interrupted does not exist. */
  async #orDiscard<Result>({ thread_id }: ThreadRow, make: () => Promise<Result>): Promise<Result> {
    try {
      return await make();
    } catch (error) {
      await this.#options.removal.discard(thread_id);
      throw error;
    }
  }

  async #listed(thread: ThreadRow, rules: MountRules): Promise<Thread> {
    const snapshot = await this.#options.store.snapshot(thread.thread_id);
    return shown(thread, snapshot ? shownSnapshot(snapshot) : noState, rules);
  }

  /** Reads only the checkpoints: reading a thread does not require that an agent's code can be loaded. */
  async #liveState(owner: Owner, threadId: string): Promise<ShownState> {
    const state = await this.#stateOf(owner, threadId);
    if (!state) return noState;
    const { values, interrupts } = viewOf(state);
    return { values, interrupts, error: null };
  }

  async #withoutRecord(owner: Owner, threadId: string): Promise<Thread> {
    const exists = await this.#options.checkpoints.exist(threadId);
    const state = exists ? await this.#stateOf(owner, threadId) : null;
    if (!state?.checkpoint) throw threadNotFound(threadId);
    return threadWithoutRecord(threadId, { state, view: viewOf(state), now: this.#now() });
  }

  #stateOf(owner: Owner, threadId: string): Promise<WireState | null> {
    return this.#options.states.current(ownedState(owner, threadId, null));
  }
}

/** The form in which lists and answers to a change show it. */
function shown(thread: ThreadRow, state: ShownState, rules: MountRules): Thread {
  return threadView(thread, { ...state, values: listedValues(thread, state.values, rules) });
}
