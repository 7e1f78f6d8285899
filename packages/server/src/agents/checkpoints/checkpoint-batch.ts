import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type PendingWrite,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { keyOf, requiredText } from './configurable.ts';
import { type Manifest, manifestOf } from './manifest.ts';
import { metadataText, runIdIn, runMetadata } from './metadata.ts';
import type { CheckpointRow, WriteRow } from './tables.ts';
import { type NewValue, storedForm } from './values.ts';

/** Values first: a checkpoint never refers to what is not there. */
export interface CheckpointRows {
  threadId: string;
  values: NewValue[];
  checkpoints: CheckpointRow[];
  writes: WriteRow[];
}

/**
 * Checkpoints and writes of one thread, in the form in which they are stored, that go into one unit. What is added is
 * encoded at once: the graph may change its state afterwards.
 */
export class CheckpointBatch {
  readonly threadId: string;
  readonly #values = new Map<string, NewValue>();
  readonly #checkpoints = new Map<string, CheckpointRow>();
  readonly #writes = new Map<string, WriteRow>();

  constructor(threadId: string) {
    this.threadId = threadId;
  }

  get isEmpty(): boolean {
    return this.#checkpoints.size === 0 && this.#writes.size === 0;
  }

  get rows(): CheckpointRows {
    return {
      threadId: this.threadId,
      values: [...this.#values.values()],
      checkpoints: [...this.#checkpoints.values()],
      writes: [...this.#writes.values()],
    };
  }

  /** `parent` is what the parent checkpoint holds, which is stored already or stands in this batch. */
  addCheckpoint(
    config: RunnableConfig,
    {
      checkpoint,
      metadata,
      parent,
    }: { checkpoint: Checkpoint; metadata: CheckpointMetadata; parent: Manifest },
  ): Manifest {
    const { namespace, id: parentId } = keyOf(config);
    const all = { ...runMetadata(config), ...metadata };
    const { channel_values: _values, ...rest } = checkpoint;
    const { manifest, parts } = manifestOf(checkpoint, parent);
    this.#addValues(parts);
    this.#checkpoints.set(JSON.stringify([namespace, checkpoint.id]), {
      thread_id: this.threadId,
      checkpoint_ns: namespace,
      checkpoint_id: checkpoint.id,
      parent_checkpoint_id: parentId ?? null,
      run_id: runIdIn(all),
      checkpoint: JSON.stringify(rest),
      channels: JSON.stringify(manifest),
      metadata: metadataText(all),
    });
    return manifest;
  }

  addWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): void {
    const { namespace } = keyOf(config);
    const id = requiredText(config, 'checkpoint_id');
    const runId = runIdIn(runMetadata(config));
    for (const [index, [channel, value]] of writes.entries()) {
      const { place, parts } = storedForm(value);
      this.#addValues(parts);
      this.#addWrite({
        thread_id: this.threadId,
        checkpoint_ns: namespace,
        checkpoint_id: id,
        task_id: taskId,
        idx: WRITES_IDX_MAP[channel] ?? index,
        channel,
        value: JSON.stringify(place),
        run_id: runId,
      });
    }
  }

  /** As the store does: of a task's own writes the first one stays, of LangGraph's own, below zero, the last one. */
  #addWrite(row: WriteRow): void {
    const key = JSON.stringify([row.checkpoint_ns, row.checkpoint_id, row.task_id, row.idx]);
    if (row.idx < 0 || !this.#writes.has(key)) this.#writes.set(key, row);
  }

  #addValues(parts: NewValue[]): void {
    for (const part of parts) this.#values.set(part.hash, part);
  }
}
