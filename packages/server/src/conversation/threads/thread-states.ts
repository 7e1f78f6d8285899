import type { HistoryEntry, ThreadState, WantedCheckpoint } from '@switchyard/contract/conversation/thread';
import { isRecord } from '@switchyard/contract/is-record';
import { say } from '@switchyard/contract/sentences/sentences';
import { leadAgentName } from '../../agents/agent-ids.ts';
import type { StatefulThread } from '../../agents/state/graph-state.ts';
import { messagesOf, requireMessages } from '../../agents/state/message-faults.ts';
import { viewOf, type WireState } from '../../agents/state/wire-state.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { MountRules } from '../mount-rules.ts';
import type { ThreadRow } from '../tables.ts';
import { type GraphFor, graphIdOf, ownedState, type SavedStates } from './saved-states.ts';
import { threadNotFound, titleInState, withThreadTitle } from './thread.ts';
import type { ThreadAccess } from './thread-access.ts';
import type { ThreadStore } from './thread-store.ts';
import { historyEntry, stateView } from './thread-view.ts';

export interface StateChange {
  values: unknown;
  asNode: string | undefined;
  checkpoint: WantedCheckpoint | undefined;
}

type Update = StateChange & { rules: MountRules };

export interface HistoryRequest {
  limit: number;
  before?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  checkpoint?: WantedCheckpoint | undefined;
}

/** The saved states of threads, for callers that may see the thread. */
export class ThreadStates {
  readonly #options;

  constructor(options: {
    store: ThreadStore;
    access: ThreadAccess;
    states: SavedStates;
    graphFor: GraphFor;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async current(owner: Owner, threadId: string, subgraphs = false): Promise<ThreadState> {
    const { access, states } = this.#options;
    const thread = await access.require(owner, threadId, { mustExist: false });
    const state = await states.current(stateful(owner, threadId, thread), { subgraphs });
    // A thread with neither a record nor a state does not exist.
    if (!state || (!thread && !state.checkpoint)) throw threadNotFound(threadId);
    return stateView(beginning(thread, titled(thread, state)));
  }

  async at(
    owner: Owner,
    threadId: string,
    { checkpoint, subgraphs }: { checkpoint: WantedCheckpoint; subgraphs: boolean },
  ): Promise<ThreadState> {
    const { access, states } = this.#options;
    const thread = await access.require(owner, threadId, { mustExist: false });
    const state = await states.current(stateful(owner, threadId, thread), { checkpoint, subgraphs });
    if (!thread && !state?.checkpoint) throw threadNotFound(threadId);
    if (!state || (checkpoint.checkpoint_id && !state.checkpoint)) throw checkpointNotFound(checkpoint);
    return stateView(state);
  }

  /** Newest first. */
  async *history(
    owner: Owner,
    threadId: string,
    { rules, ...requested }: HistoryRequest & { rules: MountRules },
  ): AsyncGenerator<HistoryEntry> {
    const { access, states } = this.#options;
    const thread = await access.require(owner, threadId, { mustExist: false });
    const about = stateful(owner, threadId, thread);
    const newestId = await this.#newestId(about, { rules, requested });
    let isFirst = true;
    for await (const state of states.pastStates(about, requested)) {
      const isNewest = newestId === undefined ? isFirst : idOf(state) === newestId;
      isFirst = false;
      yield historyEntry(isNewest ? titled(thread, state) : state, { rules, isNewest });
    }
  }

  /** Makes a new checkpoint through the graph's reducers. Returns its state. */
  async update(owner: Owner, threadId: string, change: Update): Promise<ThreadState> {
    const { access, states, store, graphFor, clock } = this.#options;
    const thread = await access.requireRecord(owner, threadId);
    if (thread.status === 'busy') throw busy();
    const graphId = graphIdOf(thread) ?? (await graphFor(owner, thread.assistant_id));
    const about = ownedState(owner, threadId, graphId);
    const { values, asNode, checkpoint, rules } = change;
    if (graphId === leadAgentName) requireMessages(messagesOf(values), ['values', 'messages']);
    const update = { values, asNode, ignoresUnknown: rules.unknownChannels === 'ignore' };
    const made = await states.update(about, update, checkpoint);
    const newest = await states.current(about);
    const isTitleByHand = namesTitle(values);
    if (newest) await store.saveState(threadId, { state: viewOf(newest), isTitleByHand, at: toIso(clock()) });
    if (newest?.checkpoint?.checkpoint_id === made.checkpoint_id) return stateView(newest);
    const state = await states.current(about, { checkpoint: made });
    if (!state) throw checkpointNotFound(made);
    return stateView(state);
  }

  /** The id of the entry that is the thread's current state; undefined when that is the first entry, null when it does not matter. */
  async #newestId(
    about: StatefulThread,
    { rules, requested }: { rules: MountRules; requested: HistoryRequest },
  ): Promise<string | null | undefined> {
    const beginsWithNewest = !requested.before && !requested.metadata && !requested.checkpoint;
    if (beginsWithNewest) return undefined;
    if (rules.historyMessages === 'every') return null;
    const [newest] = await this.#options.states.history(about, { limit: 1 });
    return newest ? idOf(newest) : null;
  }
}

function idOf({ checkpoint }: WireState): string | undefined {
  return checkpoint?.checkpoint_id;
}

/** The newest state of a thread with a checkpoint has the title of the thread. */
function titled(thread: ThreadRow | null, state: WireState): WireState {
  if (!state.checkpoint) return state;
  return { ...state, values: withThreadTitle(thread, state.values) as WireState['values'] };
}

/**
 * A run that waits, or that has stored no checkpoint yet, does not show in the state. Clients take a state without next nodes for
 * the end of a thread and do not follow it, so this names the node that the run begins with, as the checkpoint of its input does.
 */
function beginning(thread: ThreadRow | null, state: WireState): WireState {
  if (thread?.status !== 'busy' || state.next.length > 0) return state;
  return { ...state, next: ['__start__'] };
}

function namesTitle(values: unknown): boolean {
  return isRecord(values) && titleInState(values) !== undefined;
}

function stateful(owner: Owner, threadId: string, thread: ThreadRow | null): StatefulThread {
  return ownedState(owner, threadId, graphIdOf(thread));
}

function checkpointNotFound({ checkpoint_id }: WantedCheckpoint): AppError {
  return new AppError('checkpoint_not_found', { message: `Checkpoint ${checkpoint_id} not found` });
}

function busy(): AppError {
  return new AppError('thread_busy', {
    message: say('thread_state_busy'),
  });
}
