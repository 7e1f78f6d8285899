import type { ThreadRow } from '../tables.ts';

/** What a thread must be or have. Values are JSON text, as in the index of the metadata. */
export type Condition =
  | { kind: 'metadata'; key: string; value: string }
  | { kind: 'status'; status: ThreadRow['status'] };

export interface ThreadFilter {
  conditions: Condition[];
  /** Values on the top level of the latest state. */
  values: { key: string; value: unknown }[];
  ids: string[] | null;
  /** Part of the title; null for any title. */
  title: string | null;
}

export type SortColumn = 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'state_updated_at';

export interface ThreadOrder {
  sortBy: SortColumn;
  order: 'asc' | 'desc';
}

/** The columns that make an order unambiguous; each list is the end of an index. */
export const orderColumns: Record<SortColumn, SortColumn[]> = {
  thread_id: ['thread_id'],
  status: ['status', 'updated_at', 'thread_id'],
  created_at: ['created_at', 'thread_id'],
  updated_at: ['updated_at', 'thread_id'],
  state_updated_at: ['state_updated_at', 'thread_id'],
};
