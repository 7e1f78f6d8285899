import type { Insertable, Selectable } from 'kysely';

/** The tables of the checkpointer. Column names are LangGraph's names. */
export interface CheckpointTables {
  checkpoints: CheckpointTable;
  checkpoint_writes: CheckpointWriteTable;
  checkpoint_values: CheckpointValueTable;
}

interface CheckpointTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** The run that made it, from the metadata; what a rollback asks for. */
  run_id: string | null;
  /** JSON: the checkpoint without the values of its channels. */
  checkpoint: string;
  /** JSON: for each channel with a value the place of that value. */
  channels: string;
  /** JSON. */
  metadata: string;
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
  /** What another run had written here before, and which one; null where none had. It comes back with a rollback. */
  prior_value: string | null;
  prior_run_id: string | null;
}

/** Each value of a thread once, however many checkpoints hold it. */
interface CheckpointValueTable {
  thread_id: string;
  hash: string;
  /** `json` or `bytes`. */
  type: string;
  data: Uint8Array;
}

export type CheckpointRow = Selectable<CheckpointTable>;
/** As it is written; what it replaces is kept by the statement. */
export type WriteRow = Omit<Insertable<CheckpointWriteTable>, 'prior_value' | 'prior_run_id'>;
