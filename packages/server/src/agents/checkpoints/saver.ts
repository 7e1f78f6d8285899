import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import { addCheckpoints } from './add-checkpoints.ts';
import { CheckpointBatch } from './checkpoint-batch.ts';
import { type CheckpointFilter, CheckpointStore } from './checkpoint-store.ts';
import { ThreadStore } from './checkpointed-thread-store.ts';
import { type CheckpointKey, configOf, configurableText, keyOf, requiredText } from './configurable.ts';
import { keptCheckpoints, type PrunePolicy } from './kept-checkpoints.ts';
import { type Manifest, manifestIn } from './manifest.ts';
import { pagesOf } from './newest-pages.ts';
import { basesOf, progressFrom, type RunProgress } from './run-progress.ts';
import { SharedValues } from './shared-values.ts';
import type { CheckpointTables } from './tables.ts';
import { TupleReader } from './tuple-store.ts';

/** A clean-up that runs between two reads of one checkpoint is rare. Several in a row mean that something is wrong. */
const readAttempts = 5;

/**
 * Keeps the state of all graphs in the gateway's own database, through its one writer. It knows threads but no owners: callers
 * have checked whose thread it is.
 */
export class Checkpointer extends BaseCheckpointSaver {
  readonly #database: Database<CheckpointTables>;
  readonly #checkpoints: CheckpointStore;
  readonly #threads: ThreadStore;
  readonly #tuples: TupleReader;

  constructor(database: Database<unknown>) {
    super();
    this.#database = database.withTables<CheckpointTables>();
    this.#checkpoints = new CheckpointStore(database.dialect);
    this.#threads = new ThreadStore(database.dialect);
    this.#tuples = new TupleReader(this.#database.read, this.#checkpoints);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return (await this.load(config))?.tuple;
  }

  /** Also returns what the checkpoint holds, because the next checkpoint builds on it. */
  async load(config: RunnableConfig): Promise<{ tuple: CheckpointTuple; manifest: Manifest } | undefined> {
    const { threadId, namespace, id } = keyOf(config);
    if (threadId === undefined) return undefined;
    for (let attempt = 0; attempt < readAttempts; attempt += 1) {
      const row = await this.#checkpoints.row(this.#database.read, { threadId, namespace, id });
      if (!row) return undefined;
      const [tuple] = await this.#tuples.read([row]);
      if (tuple) return { tuple, manifest: manifestIn(row) };
    }
    throw new Error(`A checkpoint of thread ${threadId} lacks values that belong to it.`);
  }

  override async *list(
    config: RunnableConfig,
    { limit = Number.POSITIVE_INFINITY, before, filter }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const threadId = configurableText(config, 'thread_id');
    const namespace = configurableText(config, 'checkpoint_ns');
    const wanted: CheckpointFilter = {
      threadId,
      namespace,
      id: configurableText(config, 'checkpoint_id'),
      before: await this.#placeBefore({ threadId, namespace }, configurableText(before, 'checkpoint_id')),
      metadata: filter,
    };
    const shared = new SharedValues();
    const pages = pagesOf(limit, (isPlaced, page) =>
      this.#checkpoints.page(this.#database.read, wanted, { ...page, isPlaced }),
    );
    for await (const rows of pages) yield* await this.#tuples.read(rows, shared);
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    _newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#put({ config, checkpoint, metadata });
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#putWrites({ config, writes, taskId });
  }

  /** Returns a writer whose units all begin with this part, which throws when nothing may be written any more. */
  confirmedBy(confirm: UnitPart): Pick<BaseCheckpointSaver, 'put' | 'putWrites'> {
    return {
      put: (config, checkpoint, metadata) => this.#put({ config, checkpoint, metadata }, confirm),
      putWrites: (config, writes, taskId) => this.#putWrites({ config, writes, taskId }, confirm),
    };
  }

  async #put(
    {
      config,
      checkpoint,
      metadata,
    }: { config: RunnableConfig; checkpoint: Checkpoint; metadata: CheckpointMetadata },
    confirm: UnitPart = async () => undefined,
  ): Promise<RunnableConfig> {
    const threadId = requiredText(config, 'thread_id');
    const { namespace, id: parentId } = keyOf(config);
    const batch = new CheckpointBatch(threadId);
    await this.#database.write(async (trx) => {
      await confirm(trx as WriteTransaction<unknown>);
      await this.#checkpoints.lock(trx, threadId, 'shared');
      const parent = parentId
        ? await this.#checkpoints.manifest(trx, { threadId, namespace, id: parentId })
        : {};
      batch.addCheckpoint(config, { checkpoint, metadata, parent });
      await this.#checkpoints.add(trx, batch.rows);
    });
    return configOf({ threadId, namespace, id: checkpoint.id });
  }

  async #putWrites(
    { config, writes, taskId }: { config: RunnableConfig; writes: PendingWrite[]; taskId: string },
    confirm: UnitPart = async () => undefined,
  ): Promise<void> {
    const batch = new CheckpointBatch(requiredText(config, 'thread_id'));
    batch.addWrites(config, writes, taskId);
    await this.#database.write(async (trx) => {
      await confirm(trx as WriteTransaction<unknown>);
      await addCheckpoints(trx, batch.rows);
    });
  }

  /** Returns what a checkpoint holds, or an empty manifest when there is no such checkpoint. */
  async manifest(key: CheckpointKey): Promise<Manifest> {
    return this.#checkpoints.manifest(this.#database.read, key);
  }

  /**
   * Returns how far the stored part of a run has come, so that another attempt can continue it. Returns null when there is
   * nothing to continue from.
   */
  async progressOf(threadId: string, runId: string): Promise<RunProgress | null> {
    const { read } = this.#database;
    const checkpoints = await this.#threads.checkpointsOfRun(read, threadId, runId);
    const writes = await this.#threads.writesOfRun(read, threadId, runId);
    const others = await this.#threads.existing(read, threadId, basesOf({ checkpoints, writes }));
    return progressFrom({ checkpoints, writes, others });
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await this.#checkpoints.lock(trx, threadId, 'alone');
      await this.#threads.delete(trx, threadId);
    });
  }

  /** Makes a thread with the same history. The two share nothing afterwards. */
  async copyThread(from: string, to: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await this.#checkpoints.lock(trx, from, 'alone');
      await this.#threads.copy(trx, { from, to });
    });
  }

  /** Returns a thread to its state before the run: everything that the run made or wrote is removed. */
  async deleteRun(threadId: string, runId: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await this.#checkpoints.lock(trx, threadId, 'alone');
      const outlines = await this.#threads.outlines(trx, threadId);
      await this.#threads.remove(
        trx,
        threadId,
        outlines.filter((outline) => outline.runId === runId),
      );
      await this.#threads.takeBackWritesOf(trx, threadId, runId);
      await this.#threads.removeUnusedValues(trx, threadId);
    });
  }

  /** Returns how many checkpoints were removed. The unit begins with `confirm`, which throws when nothing may be removed. */
  async prune(
    threadId: string,
    policy: PrunePolicy,
    confirm: UnitPart = async () => undefined,
  ): Promise<number> {
    return this.#database.write(async (trx) => {
      await confirm(trx as WriteTransaction<unknown>);
      await this.#checkpoints.lock(trx, threadId, 'alone');
      const outlines = await this.#threads.outlines(trx, threadId);
      const kept = keptCheckpoints(outlines, policy);
      const removed = outlines.filter((outline) => !kept.has(outline));
      if (removed.length === 0) return 0;
      await this.#threads.remove(trx, threadId, removed);
      await this.#threads.removeUnusedValues(trx, threadId);
      return removed.length;
    });
  }

  async #placeBefore(
    { threadId, namespace = '' }: Pick<CheckpointFilter, 'threadId' | 'namespace'>,
    id: string | undefined,
  ): Promise<string | undefined> {
    if (id === undefined || threadId === undefined) return id;
    return this.#checkpoints.place(this.#database.read, { threadId, namespace, id });
  }
}
