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

/** What a graph reads and changes its states through outside of runs: what was answered is asked no more. */
export class StateSaver extends BaseCheckpointSaver {
  readonly #saved: BaseCheckpointSaver;
  #failure: { error: unknown } | null = null;
  #ahead: { config: RunnableConfig; tuple: CheckpointTuple } | null = null;

  constructor(saved: BaseCheckpointSaver) {
    super(saved.serde);
    this.#saved = saved;
  }

  /** Whether it was storage that failed with this; otherwise the code of the graph has. */
  failedWith(error: unknown): boolean {
    return this.#failure?.error === error;
  }

  /** What the graph will ask for with the same config: it is loaded once, and both have seen the same. */
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
    return this.#noted(this.#saved.put(config, checkpoint, metadata, newVersions));
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#noted(this.#saved.putWrites(config, writes, taskId));
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
