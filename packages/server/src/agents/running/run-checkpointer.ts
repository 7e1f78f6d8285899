import { setImmediate as nextTurn } from 'node:timers/promises';
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
import { type UnitPart, unitPart } from '../../platform/database/unit-part.ts';
import { addCheckpoints } from '../checkpoints/add-checkpoints.ts';
import { CheckpointBatch } from '../checkpoints/checkpoint-batch.ts';
import { configOf, keyOf } from '../checkpoints/configurable.ts';
import type { Manifest } from '../checkpoints/manifest.ts';
import type { Checkpointer } from '../checkpoints/saver.ts';
import type { CheckpointTables } from '../checkpoints/tables.ts';
import { withoutAnswered } from '../state/open-questions.ts';

export interface RunCheckpointerOptions {
  saved: Checkpointer;
  threadId: string;
  /** Commits a unit of the run together with the run's events. It fails when the run no longer belongs to this process. */
  commit: (part: UnitPart) => Promise<void>;
  /** With `sync` a step begins when the checkpoint before it is on disk; otherwise the graph does not wait. */
  isSync: boolean;
  /** Called once, when something could not be written; nothing is written after that. */
  onFailure: () => void;
}

export interface CheckpointFailure {
  error: unknown;
  /** True when the state itself cannot be stored; false when storing has failed or another process has the run. */
  isOfGraph: boolean;
}

/** The task id under which LangGraph writes what belongs to no task. */
const noTask = '00000000-0000-0000-0000-000000000000';

/**
 * The checkpointer of one run. Everything that the graph hands in within one turn of the event loop, and while a unit is being
 * written, goes into one unit together with the events that it covers. Manifests that the run has made or read are kept, so that
 * a checkpoint costs no read.
 */
export class RunCheckpointer extends BaseCheckpointSaver {
  readonly #options: RunCheckpointerOptions;
  readonly #manifests = new Map<string, { id: string; manifest: Manifest }>();
  readonly #arriving = new Set<Promise<unknown>>();
  #waiting: CheckpointBatch;
  #writing: Promise<void> | undefined;
  #failure: CheckpointFailure | null = null;
  #isClosed = false;
  /** True while waiting rows are kept back for the unit that ends the run. */
  #isHeld = false;
  #newestId: string | null = null;
  /** Changes that a command makes, kept back until the graph has applied them. */
  #untaken: { checkpointId: string | undefined; add: () => void } | undefined;

  constructor(options: RunCheckpointerOptions) {
    super();
    this.#options = options;
    this.#waiting = new CheckpointBatch(options.threadId);
  }

  /** The failure that ends the run; null while there is none. */
  get failure(): CheckpointFailure | null {
    return this.#failure;
  }

  /** The newest checkpoint of the run's own graph; null while the run has made none. */
  get newestId(): string | null {
    return this.#newestId;
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    _newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    if (this.#untaken?.checkpointId === checkpoint.id) this.#untaken = undefined;
    this.#addUntaken();
    const { namespace, id: parentId } = keyOf(config);
    const add = (parent: Manifest): void => {
      const manifest = this.#waiting.addCheckpoint(config, { checkpoint, metadata, parent });
      this.#manifests.set(namespace, { id: checkpoint.id, manifest });
      if (namespace === '') this.#newestId = checkpoint.id;
    };
    const parent = this.#knownManifest(namespace, parentId);
    if (parent) this.#encode(() => add(parent));
    else await this.#arrive(this.#readManifest(namespace, parentId), add);
    await this.#written();
    return configOf({ threadId: this.#options.threadId, namespace, id: checkpoint.id });
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const add = (some: PendingWrite[]): void =>
      this.#encode(() => this.#waiting.addWrites(config, some, taskId));
    if (taskId !== noTask) {
      this.#addUntaken();
      add(writes);
      return this.#written();
    }
    const answers = writes.filter(([channel]) => channel === '__resume__');
    const changes = writes.filter(([channel]) => channel !== '__resume__');
    if (changes.length > 0) this.#untaken = { checkpointId: keyOf(config).id, add: () => add(changes) };
    if (answers.length > 0) add(answers);
    await this.#written();
  }

  /**
   * LangGraph hands in the changes of a command before it applies them. If they were stored at once and a reducer refused them,
   * every later read or run of the thread would apply them again and fail. So they are stored when the graph hands in something
   * else, which shows that it has applied them.
   */
  #addUntaken(): void {
    const untaken = this.#untaken;
    this.#untaken = undefined;
    untaken?.add();
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    await this.settled();
    const loaded = await this.#options.saved.load(config);
    if (!loaded) return undefined;
    const { tuple, manifest } = loaded;
    this.#manifests.set(keyOf(tuple.config).namespace, { id: tuple.checkpoint.id, manifest });
    return withoutAnswered(tuple);
  }

  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    await this.settled();
    for await (const tuple of this.#options.saved.list(config, options)) yield withoutAnswered(tuple);
  }

  override async deleteThread(): Promise<void> {
    throw new Error('A graph cannot delete the thread that it runs in.');
  }

  /** Resolves when everything that the graph has handed in is on disk. Throws the failure that kept it from there. */
  async settled(): Promise<void> {
    while (
      !this.#failure &&
      (this.#arriving.size > 0 || !this.#waiting.isEmpty || this.#writing !== undefined)
    ) {
      await Promise.all(this.#arriving);
      await this.#write();
    }
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Does the same as `settled` for code inside the graph: the checkpoint that the current step began from may still be on its way
   * here.
   */
  async reached(): Promise<void> {
    await nextTurn();
    await this.settled();
  }

  /**
   * Called for a graph that has ended: returns the last of what it handed in, for the unit that ends the run, and accepts nothing
   * more. Everything else is on disk by then. Throws the failure that kept it from there.
   */
  async finish(): Promise<UnitPart[]> {
    this.#isHeld = true;
    while (!this.#failure && (this.#arriving.size > 0 || this.#writing !== undefined)) {
      await Promise.all(this.#arriving);
      await this.#writing;
    }
    if (this.#failure) throw this.#failure.error;
    const batch = this.#waiting;
    this.#waiting = new CheckpointBatch(this.#options.threadId);
    this.#isClosed = true;
    return batch.isEmpty ? [] : [partOf(batch)];
  }

  /** Writes what is waiting, if it may still be written. What a stopped graph hands in afterwards is dropped. */
  async close(): Promise<void> {
    await this.settled().catch(() => undefined); // kept as `failure`
    this.#isClosed = true;
  }

  /** Never rejects. LangGraph calls some methods without awaiting them, and a rejection there would end the process. */
  async #arrive(reading: Promise<Manifest>, add: (parent: Manifest) => void): Promise<void> {
    const arriving = reading.then(
      (parent) => this.#encode(() => add(parent)),
      (error: unknown) => this.#fail({ error, isOfGraph: false }),
    );
    this.#arriving.add(arriving);
    await arriving;
    this.#arriving.delete(arriving);
  }

  #encode(add: () => void): void {
    if (this.#failure || this.#isClosed) return;
    try {
      add();
    } catch (error) {
      this.#fail({ error, isOfGraph: true });
    }
  }

  /** Only `sync` waits for the disk. */
  #written(): Promise<void> | undefined {
    const written = this.#write();
    return this.#options.isSync ? written : undefined;
  }

  /** Never rejects. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /** Takes the batch before its unit begins, so that the unit holds all events that the batch covers. */
  async #writeAll(): Promise<void> {
    await nextTurn();
    try {
      while (!this.#waiting.isEmpty && !this.#failure && !this.#isHeld) {
        const batch = this.#waiting;
        this.#waiting = new CheckpointBatch(this.#options.threadId);
        await this.#options.commit(partOf(batch));
      }
    } catch (error) {
      this.#fail({ error, isOfGraph: false });
    } finally {
      this.#writing = undefined;
    }
  }

  #fail(failure: CheckpointFailure): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#options.onFailure();
  }

  #knownManifest(namespace: string, id: string | undefined): Manifest | undefined {
    if (id === undefined) return {};
    const known = this.#manifests.get(namespace);
    return known?.id === id ? known.manifest : undefined;
  }

  #readManifest(namespace: string, id: string | undefined): Promise<Manifest> {
    const { saved, threadId } = this.#options;
    return id === undefined ? Promise.resolve({}) : saved.manifest({ threadId, namespace, id });
  }
}

function partOf({ rows }: CheckpointBatch): UnitPart {
  return unitPart<CheckpointTables>((trx) => addCheckpoints(trx, rows));
}
