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
import { withoutAnswered } from './open-questions.ts';

/**
 * The checkpointer through which a graph reads and changes its states outside of runs. Questions that were answered are left out.
 */
export class StateSaver extends BaseCheckpointSaver {
  readonly #saved: BaseCheckpointSaver;
  readonly #writer: Pick<BaseCheckpointSaver, 'put' | 'putWrites'>;
  #failure: { error: unknown } | null = null;
  #ahead: { config: RunnableConfig; tuple: CheckpointTuple } | null = null;

  constructor(
    saved: BaseCheckpointSaver,
    { writer = saved }: { writer?: Pick<BaseCheckpointSaver, 'put' | 'putWrites'> } = {},
  ) {
    super(saved.serde);
    this.#saved = saved;
    this.#writer = writer;
  }

  /** Returns whether storage threw this error; otherwise the code of the graph did. */
  failedWith(error: unknown): boolean {
    return this.#failure?.error === error;
  }

  /** Loads what the graph will ask for with the same config. It is loaded once, so both see the same state. */
  async readAhead(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.getTuple(config);
    this.#ahead = tuple ? { config, tuple } : null;
    return tuple;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead?.config === config) return ahead.tuple;
    const tuple = await this.#noted(this.#saved.getTuple(config));
    return tuple && withoutAnswered(tuple);
  }

  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    const tuples = this.#saved.list(config, options);
    for (;;) {
      const { value, done } = await this.#noted(tuples.next());
      if (done) return;
      yield withoutAnswered(value);
    }
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#noted(this.#writer.put(config, checkpoint, metadata, newVersions));
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#noted(this.#writer.putWrites(config, writes, taskId));
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#noted(this.#saved.deleteThread(threadId));
  }

  async #noted<Result>(doing: Promise<Result>): Promise<Result> {
    try {
      return await doing;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
