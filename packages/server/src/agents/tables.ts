import type { Selectable } from 'kysely';

/** The tables that the agent runtime owns, its checkpoints apart. The migrations of conversation make them. */
export interface AgentTables {
  store_items: StoreItemTable;
}

export interface StoreItemTable {
  user_id: string;
  /** Labels joined with a dot; a label holds none. */
  namespace: string;
  key: string;
  value: string;
  created_at: string;
  updated_at: string;
  expires_at: string | null;
  ttl_minutes: number | null;
}

export type StoreItemRow = Selectable<StoreItemTable>;
