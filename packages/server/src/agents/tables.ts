import type { Selectable } from 'kysely';

/** The tables of the agent runtime, without its checkpoints. Migrations of the conversation area create them. */
export interface AgentTables {
  store_items: StoreItemTable;
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

export type StoreItemRow = Selectable<StoreItemTable>;
