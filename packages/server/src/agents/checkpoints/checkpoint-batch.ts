import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type PendingWrite,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { keyOf, requiredText } from './configurable.ts';
import { type Manifest, manifestOf, manifestText } from './manifest.ts';
import { metadataText, runIdIn, runMetadata } from './metadata.ts';
import { inOrder } from './places.ts';
import type { ArrivingCheckpoint, CheckpointRow, WriteRow } from './tables.ts';
import { type NewValue, storedForm } from './values.ts';

/** Values come first, so that a checkpoint never refers to a value that is missing. */
export interface CheckpointRows {
  threadId: string;
  values: NewValue[];
  checkpoints: ArrivingCheckpoint[];
  writes: WriteRow[];
}

/**
 * The checkpoints and writes of one thread that go into one unit, in the form in which they are stored. They are encoded when
 * they are added, because the graph may change its state afterwards.
 */
export class CheckpointBatch {
  readonly threadId: string;
  readonly #values = new Map<string, NewValue>();
  readonly #checkpoints = new Map<string, Omit<CheckpointRow, 'place'>>();
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
      checkpoints: inOrder([...this.#checkpoints.values()]),
      writes: [...this.#writes.values()],
    };
  }

  /** `parent` is the manifest of the parent checkpoint, which is stored already or is part of this batch. */
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
    const { channel_values: _values, id: _id, ...rest } = checkpoint;
    const { manifest, parts } = manifestOf(checkpoint, parent);
    this.#addValues(parts);
    this.#checkpoints.set(JSON.stringify([namespace, checkpoint.id]), {
      thread_id: this.threadId,
      checkpoint_ns: namespace,
      checkpoint_id: checkpoint.id,
      parent_checkpoint_id: parentId ?? null,
      run_id: runIdIn(all),
      checkpoint: JSON.stringify(rest),
      channels: manifestText(manifest),
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

  /**
   * Follows the rule of the store: the first write of a task stays, and the last write of LangGraph itself (index below zero)
   * stays.
   */
  #addWrite(row: WriteRow): void {
    const key = JSON.stringify([row.checkpoint_ns, row.checkpoint_id, row.task_id, row.idx]);
    if (row.idx < 0 || !this.#writes.has(key)) this.#writes.set(key, row);
  }

  #addValues(parts: NewValue[]): void {
    for (const part of parts) this.#values.set(part.hash, part);
  }
}
