import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { AppError } from '../../lib/app-error.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { PrunePolicy } from '../checkpoints/kept-checkpoints.ts';
import type { Checkpointer } from '../checkpoints/saver.ts';
import { loadLangchain } from '../langchain.ts';
import { AgentFault } from '../loading/agent-fault.ts';
import type { AgentGraph, Agents, GraphRuntime } from '../loading/agents.ts';
import { authEntries } from '../own-code/own-code.ts';
import type { StateSaver } from './state-saver.ts';
import { asUpdateFault, checkedUpdate, type StateUpdate, updateOf } from './state-update.ts';
import { storedState, updateStored } from './stored-state.ts';
import { type CheckpointRef, checkpointRef, emptyState, type WireState, wireState } from './wire-state.ts';
import type { SharedJson } from './wire-values.ts';

/** The thread whose state is read. Without a graph, as for a thread made elsewhere, only its checkpoints are read. */
export interface StatefulThread {
  threadId: string;
  graphId: string | null;
  userId: string;
}

/** A checkpoint as clients name it; without an id the newest one of the namespace. */
export interface WantedCheckpoint {
  checkpoint_id?: string | null | undefined;
  checkpoint_ns?: string | null | undefined;
  checkpoint_map?: Record<string, unknown> | null | undefined;
}

export interface HistoryQuery {
  limit: number;
  /** Exclusive. */
  before?: string | undefined;
  /** Values that an entry must have at the top level of its metadata. */
  metadata?: Record<string, unknown> | undefined;
  /** With an id the history is that checkpoint alone, as in LangGraph. */
  checkpoint?: WantedCheckpoint | undefined;
}

interface RequestedUpdate {
  supersteps: StateUpdate[][];
  /** The values of an update that is the only one in its request. */
  sole?: unknown;
  checkpoint?: WantedCheckpoint;
  /** Begins each unit of the update; throws when the thread has changed meanwhile. */
  confirm?: UnitPart;
}

/** The settings of a run, as far as a function that makes its graph may read them. */
export interface GivenSettings {
  configurable: Record<string, unknown>;
  context: Record<string, unknown>;
  authUser: Record<string, unknown> | null;
}

/** Finds what the last run of a thread, or one run, was given. Null when there is no such run. */
export type SettingsOfRun = (
  whose: { threadId: string } | { runId: string },
) => Promise<GivenSettings | null>;

export interface GraphStatesOptions {
  agents: Pick<Agents, 'graph' | 'isFromFile'>;
  checkpointer: () => Promise<Checkpointer>;
  settingsOfRun: SettingsOfRun;
}

const reading: GraphRuntime = { accessContext: 'threads.read', executionRuntime: null };
const updating: GraphRuntime = { accessContext: 'threads.update', executionRuntime: null };

/** The saved states of threads. It knows no owners: callers have checked whose thread it is. */
export class GraphStates {
  readonly #agents: GraphStatesOptions['agents'];
  readonly #checkpointer: () => Promise<Checkpointer>;
  readonly #settingsOfRun: SettingsOfRun;

  constructor({ agents, checkpointer, settingsOfRun }: GraphStatesOptions) {
    this.#agents = agents;
    this.#checkpointer = checkpointer;
    this.#settingsOfRun = settingsOfRun;
  }

  /**
   * Returns what the last run of the thread was given, and null when there was none. A copied thread has no run of its own; its
   * checkpoints name the run that made them.
   */
  async lastSettings(threadId: string): Promise<GivenSettings | null> {
    return this.#settingsOf(threadId, await this.#saver());
  }

  /**
   * Returns an empty state without a checkpoint for a thread that has never run, and null when the requested checkpoint does not
   * exist.
   */
  async current(
    thread: StatefulThread,
    {
      checkpoint = {},
      subgraphs = false,
    }: { checkpoint?: WantedCheckpoint | undefined; subgraphs?: boolean | undefined } = {},
  ): Promise<WireState | null> {
    const saved = await this.#saver();
    const config = configFor(thread, checkpoint);
    const none = checkpoint.checkpoint_id ? null : emptyState;
    const tuple = await saved.readAhead(config);
    if (!tuple) return none;
    const graph = await this.#graph(madeBy(thread, tuple), saved, { checkpoint, runtime: reading });
    if (!graph) return storedState(tuple);
    // Reading by id leaves out what was written after the checkpoint.
    const { checkpoint_id } = tuple.config.configurable ?? {};
    const itself = { configurable: { ...config.configurable, checkpoint_id } };
    for (const place of checkpoint.checkpoint_id ? [config] : [config, itself]) {
      const snapshot = await unlessRefused(graph.getState(place, { subgraphs }), saved);
      if (snapshot) return snapshot.createdAt ? wireState(snapshot) : none;
    }
    return storedState(tuple);
  }

  /** Returns the newest first. */
  async history(thread: StatefulThread, query: HistoryQuery): Promise<WireState[]> {
    const all: WireState[] = [];
    for await (const state of this.pastStates(thread, query)) all.push(state);
    return all;
  }

  /** Yields what `history` returns, one state at a time. Values that several states hold are loaded and encoded once. */
  async *pastStates(
    thread: StatefulThread,
    { limit, before, metadata, checkpoint = {} }: HistoryQuery,
  ): AsyncGenerator<WireState> {
    const saved = await this.#saver();
    const config = configFor(thread, checkpoint);
    const shared: SharedJson = new WeakMap();
    let [left, olderThan] = [limit, before];
    const options = () => ({
      limit: left,
      ...(olderThan !== undefined && { before: { configurable: { checkpoint_id: olderThan } } }),
      ...(metadata && { filter: metadata }),
    });
    const graph = await this.#graph(thread, saved, { checkpoint, runtime: reading });
    const snapshots = graph?.getStateHistory(config, options());
    while (snapshots) {
      const next = await unlessRefused(snapshots.next(), saved);
      if (!next) break;
      if (next.done) return;
      const state = wireState(next.value, shared);
      left -= 1;
      olderThan = state.checkpoint?.checkpoint_id;
      yield state;
    }
    // Runs without a graph, or continues from the first state that its code refused.
    for await (const tuple of saved.list(config, options())) yield storedState(tuple, shared);
  }

  /**
   * Applies an update through the graph's reducers, into a new checkpoint. Throws 422 when the graph does not know or cannot
   * apply it.
   */
  async update(
    thread: StatefulThread,
    update: StateUpdate,
    checkpoint: WantedCheckpoint = {},
  ): Promise<CheckpointRef> {
    return this.#update(thread, { supersteps: [[update]], sole: update.values, checkpoint });
  }

  /** Applies an update to the newest state, unless `confirm` throws in the unit that stores it. */
  async updateIf(thread: StatefulThread, update: StateUpdate, confirm: UnitPart): Promise<CheckpointRef> {
    return this.#update(thread, { supersteps: [[update]], sole: update.values, confirm });
  }

  /** Returns a channel of the newest state in the graph's own form, or null when nothing is saved. */
  async channelOf(
    { threadId }: Pick<StatefulThread, 'threadId'>,
    channel: string,
  ): Promise<{ value: unknown; checkpointId: string } | null> {
    const tuple = await (await this.#saver()).getTuple(configFor({ threadId }, {}));
    if (!tuple) return null;
    const { channel_values: values, id: checkpointId } = tuple.checkpoint;
    return { value: values[channel], checkpointId };
  }

  /** Makes a checkpoint for each superstep. */
  async bulkUpdate(thread: StatefulThread, supersteps: StateUpdate[][]): Promise<CheckpointRef> {
    return this.#update(thread, { supersteps });
  }

  async copy(fromThreadId: string, toThreadId: string): Promise<void> {
    await (await this.#checkpointer()).copyThread(fromThreadId, toThreadId);
  }

  async delete(threadId: string): Promise<void> {
    await (await this.#checkpointer()).deleteThread(threadId);
  }

  /** Returns how many checkpoints were removed. `confirm` throws in the same unit when the thread runs. */
  async prune(threadId: string, policy: PrunePolicy, confirm: UnitPart): Promise<number> {
    return (await this.#checkpointer()).prune(threadId, policy, confirm);
  }

  /** Returns the thread to its state before the run. The thread must not run meanwhile. */
  async rollback(threadId: string, runId: string): Promise<void> {
    await (await this.#checkpointer()).deleteRun(threadId, runId);
  }

  async #saver(confirm?: UnitPart): Promise<StateSaver> {
    const checkpointer = await this.#checkpointer();
    const { StateSaver } = await loadLangchain(() => import('./state-saver.ts'));
    return new StateSaver(checkpointer, confirm && { writer: checkpointer.confirmedBy(confirm) });
  }

  async #update(
    thread: StatefulThread,
    { supersteps, sole, checkpoint = {}, confirm }: RequestedUpdate,
  ): Promise<CheckpointRef> {
    const saved = await this.#saver(confirm);
    const config = {
      ...configFor(thread, checkpoint),
      metadata: thread.graphId === null ? {} : { graph_id: thread.graphId },
    };
    if (checkpoint.checkpoint_id) await requireCheckpoint(saved.getTuple(config), checkpoint);
    const graph = await this.#graph(thread, saved, { checkpoint, runtime: updating });
    if (!graph) return refOf(await updateStored(saved, config, supersteps.flat()));
    const target = await graphAt(graph, checkpoint.checkpoint_ns ?? '');
    const checked = supersteps.map((updates) =>
      updates.map((update) => checkedUpdate(target ?? graph, update)),
    );
    const updates = await Promise.all(
      checked.map(async (superstep) => ({ updates: await Promise.all(superstep.map(updateOf)) })),
    );
    try {
      return refOf(await graph.bulkUpdateState(config, updates));
    } catch (error) {
      throw saved.failedWith(error) ? error : asUpdateFault(error, sole);
    }
  }

  /**
   * Returns null when the graph is not here, when its file is at fault, or when it does not know the namespace, as for a graph
   * that a tool runs. What is stored can be read all the same.
   */
  async #graph(
    thread: StatefulThread,
    checkpointer: StateSaver,
    {
      checkpoint: { checkpoint_ns: namespace },
      runtime,
    }: { checkpoint: WantedCheckpoint; runtime: GraphRuntime },
  ): Promise<AgentGraph | null> {
    const { graphId, userId } = thread;
    if (graphId === null) return null;
    try {
      const config = this.#agents.isFromFile(graphId) ? await this.#configOf(thread, checkpointer) : {};
      const graph = await this.#agents.graph(graphId, { userId, checkpointer, config, runtime });
      return (await graphAt(graph, namespace ?? '')) ? graph : null;
    } catch (error) {
      const isUnknown = error instanceof AppError && error.code === 'assistant_not_found';
      if (isUnknown || error instanceof AgentFault) return null;
      throw error;
    }
  }

  /**
   * A user's function may make another graph for another configurable. So its states are read with the configurable of the run
   * that made them.
   */
  async #configOf(
    { threadId, graphId, userId }: StatefulThread,
    saver: StateSaver,
  ): Promise<{ configurable: Record<string, unknown> }> {
    const given = await this.#settingsOf(threadId, saver);
    const own = ownConfigurable({ threadId, graphId, userId }, given?.authUser);
    return { configurable: { ...given?.configurable, ...own } };
  }

  async #settingsOf(threadId: string, saver: StateSaver): Promise<GivenSettings | null> {
    const ofThread = await this.#settingsOfRun({ threadId });
    if (ofThread) return ofThread;
    const tuple = await saver.getTuple(configFor({ threadId }, {}));
    const { run_id: runId } = (tuple?.metadata ?? {}) as { run_id?: unknown };
    return typeof runId === 'string' ? this.#settingsOfRun({ runId }) : null;
  }
}

/** The entries that a run would find as well. */
function ownConfigurable(
  { threadId, graphId, userId }: StatefulThread,
  authUser: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  return { thread_id: threadId, user_id: userId, graph_id: graphId, ...authEntries(userId, authUser) };
}

/**
 * Returns null when the code of the graph throws on what is stored, for example in a reducer. What is stored can be read all the
 * same.
 */
async function unlessRefused<Result>(reading: Promise<Result>, saved: StateSaver): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (saved.failedWith(error)) throw error;
    return null;
  }
}

/**
 * A thread may have had runs of several graphs. After a rollback its state may come from another graph than that of its last run.
 */
function madeBy(thread: StatefulThread, { metadata }: CheckpointTuple): StatefulThread {
  const { graph_id: graphId } = (metadata ?? {}) as { graph_id?: unknown };
  return thread.graphId !== null && typeof graphId === 'string' ? { ...thread, graphId } : thread;
}

/**
 * Returns the graph whose states are stored in a namespace: the whole graph or one inside it, or null when there is none. A
 * namespace is `node:task|node:task…`, with numbers in between when a node runs several graphs.
 */
async function graphAt(graph: AgentGraph, namespace: string): Promise<AgentGraph | null> {
  if (namespace === '') return graph;
  const parts = namespace.split('|').filter((part) => !/^\d+$/.test(part));
  const path = parts.map((part) => part.split(':')[0]).join('|');
  for await (const [name, inner] of graph.getSubgraphsAsync(path, true)) {
    if (name === path) return inner as unknown as AgentGraph;
  }
  return null;
}

function configFor(
  { threadId }: Pick<StatefulThread, 'threadId'>,
  { checkpoint_id, checkpoint_ns, checkpoint_map }: WantedCheckpoint,
): { configurable: Record<string, unknown> } {
  return {
    configurable: {
      thread_id: threadId,
      checkpoint_ns: checkpoint_ns ?? '',
      ...(checkpoint_id && { checkpoint_id }),
      ...(checkpoint_map && { checkpoint_map }),
    },
  };
}

async function requireCheckpoint(
  reading: Promise<CheckpointTuple | undefined>,
  { checkpoint_id }: WantedCheckpoint,
): Promise<void> {
  if (await reading) return;
  throw new AppError('checkpoint_not_found', { message: `Checkpoint ${checkpoint_id} not found` });
}

function refOf(config: object): CheckpointRef {
  const ref = checkpointRef(config);
  if (!ref) throw new Error('An update of a state has made no checkpoint.');
  return ref;
}
