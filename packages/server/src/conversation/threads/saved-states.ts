import type { GraphStates, StatefulThread } from '../../agents/state/graph-state.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';

/** The part of the agent runtime that threads need. */
export type SavedStates = Pick<
  GraphStates,
  'current' | 'history' | 'pastStates' | 'update' | 'bulkUpdate' | 'copy' | 'prune'
>;

/** The graph of an assistant, or the default graph for null. Returns null when the assistant no longer exists. */
export type GraphFor = (owner: Owner, assistantId: string | null) => Promise<string | null>;

export function ownedState(owner: Owner, threadId: string, graphId: string | null): StatefulThread {
  return { threadId, graphId, userId: userScope(owner) ?? 'default' };
}

/** The graph that runs in this thread, as its last run or its creator named it; null when neither did. */
export function graphIdOf(thread: Pick<ThreadRow, 'metadata'> | null): string | null {
  const { graph_id } = JSON.parse(thread?.metadata ?? '{}') as { graph_id?: unknown };
  return typeof graph_id === 'string' ? graph_id : null;
}
