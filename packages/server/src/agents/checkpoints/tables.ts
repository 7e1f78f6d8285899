import type { Insertable, Selectable } from 'kysely';

/** The tables of the checkpointer. Column names are those of LangGraph. */
export interface CheckpointTables {
  checkpoints: CheckpointTable;
  checkpoint_writes: CheckpointWriteTable;
  checkpoint_values: CheckpointValueTable;
}

export interface CheckpointTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** The run that made it; it is part of the metadata, and a rollback searches by it. */
  run_id: string | null;
  /** JSON: the checkpoint without its id and without the values of its channels. */
  checkpoint: string;
  /** JSON: the place of the value of each channel that has one. Its version is in the checkpoint. */
  channels: string;
  /** JSON: the metadata without the id of the run. */
  metadata: string;
  /** Its place among those of its namespace, when its id does not show it (`places.ts`). */
  place: string | null;
}

interface CheckpointWriteTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  channel: string;
  /** JSON: the place of the value. */
  value: string;
  run_id: string | null;
  /** The value that another run had written here before; null when there was none. A rollback restores it. */
  prior_value: string | null;
  prior_run_id: string | null;
}

/** Holds each value of a thread once, however many checkpoints refer to it. */
interface CheckpointValueTable {
  thread_id: string;
  hash: string;
  /** `json` or `bytes`. */
  type: string;
  data: Uint8Array;
}

export type CheckpointRow = Selectable<CheckpointTable>;
/** A row as it is written; the SQL statement itself finds its place. */
export interface ArrivingCheckpoint extends Omit<CheckpointRow, 'place'> {
  /** 1 is the first row of the unit. */
  number: number;
  /** The highest id of the rows before it in the unit and in its namespace, or an empty text. */
  before: string;
}
/** A row as it is written; the SQL statement itself keeps what it replaces. */
export type WriteRow = Omit<Insertable<CheckpointWriteTable>, 'prior_value' | 'prior_run_id'>;
