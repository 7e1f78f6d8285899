import type { Selectable } from 'kysely';

/** The tables of the agent runtime, without its checkpoints. Migrations of the conversation area create them. */
export interface AgentTables {
  store_items: StoreItemTable;
  store_vectors: StoreVectorTable;
}

export interface StoreItemTable {
  user_id: string;
  /** Labels joined with dots; no label contains a dot. */
  namespace: string;
  key: string;
  value: string;
  created_at: string;
  updated_at: string;
  expires_at: string | null;
  ttl_minutes: number | null;
}

/** The vectors of items, by which they are found by their meaning. */
export interface StoreVectorTable {
  user_id: string;
  namespace: string;
  key: string;
  /** Counts the indexed texts of an item. */
  part: number;
  /** The model that made it, with its address. */
  model: string;
  /** 32-bit numbers, in the order of the machine's bytes. */
  vector: Uint8Array;
}

export type StoreItemRow = Selectable<StoreItemTable>;
