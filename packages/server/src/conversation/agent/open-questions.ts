import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';

/** What a task writes without having come to its end. */
const unfinished: ReadonlySet<string> = new Set([
  '__interrupt__',
  '__resume__',
  '__error__',
  '__error_source_node__',
  '__scheduled__',
]);

/**
 * Without the questions of tasks that have come to their end since. A saver keeps everything that a task wrote, so one that
 * waits for others, in the same step, would go on asking what was answered.
 */
export function withoutAnswered(tuple: CheckpointTuple): CheckpointTuple {
  const { pendingWrites = [] } = tuple;
  if (!pendingWrites.some(isQuestion)) return tuple;
  const ended = new Set(
    pendingWrites.filter(([, channel]) => !unfinished.has(channel)).map(([taskId]) => taskId),
  );
  return {
    ...tuple,
    pendingWrites: pendingWrites.filter((write) => !(isQuestion(write) && ended.has(write[0]))),
  };
}

/** Saved states for who reads them, those of subgraphs too: what was answered is asked no more. */
export class OpenQuestions extends BaseCheckpointSaver {
  readonly #saved: BaseCheckpointSaver;

  constructor(saved: BaseCheckpointSaver) {
    super(saved.serde);
    this.#saved = saved;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.#saved.getTuple(config);
    return tuple && withoutAnswered(tuple);
  }

  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of this.#saved.list(config, options)) yield withoutAnswered(tuple);
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#saved.put(config, checkpoint, metadata, newVersions);
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#saved.putWrites(config, writes, taskId);
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#saved.deleteThread(threadId);
  }

  override getNextVersion(current: number | undefined): number {
    return this.#saved.getNextVersion(current);
  }
}

function isQuestion([, channel]: CheckpointPendingWrite): boolean {
  return channel === '__interrupt__';
}
