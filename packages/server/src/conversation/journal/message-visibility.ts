import type { RunEvent } from '@switchyard/contract/conversation/run-event';

/** A run that answers anew what another run has answered. */
export interface Replay {
  runId: string;
  /** The run in whose place it stands. */
  sourceRunId: string;
  /** The question was changed too. */
  isEdit: boolean;
  status: string;
}

/**
 * Runs that are not shown: one that a later run has answered anew, once that has succeeded; and an edit that has failed,
 * in whose place its source is shown again.
 */
export function hiddenRuns(replays: readonly Replay[]): Set<string> {
  const hidden = new Set<string>();
  for (const { runId, sourceRunId, isEdit, status } of replays) {
    if (status === 'success') hidden.add(sourceRunId);
    else if (isEdit && hasEnded(status)) hidden.add(runId);
  }
  return hidden;
}

/** The conversation, without what middleware says and what sub-agents say among themselves. */
export function isShown(message: RunEvent, hidden: ReadonlySet<string>): boolean {
  if (hidden.has(message.run_id)) return false;
  const { caller } = message.metadata;
  if (typeof caller !== 'string') return true;
  if (caller.startsWith('middleware:')) return false;
  return !(caller.startsWith('subagent:') && isAnswer(message));
}

/** A message of the assistant. */
export function isAnswer({ content }: RunEvent): boolean {
  return typeof content === 'object' && content !== null && 'type' in content && content.type === 'ai';
}

function hasEnded(status: string): boolean {
  return status !== 'pending' && status !== 'running';
}
