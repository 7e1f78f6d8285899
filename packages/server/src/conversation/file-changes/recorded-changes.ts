import type { WorkspaceChanges } from '@switchyard/contract/conversation/workspace-changes';
import type { Owner } from '../../lib/owner.ts';
import type { Journal } from '../journal/journal.ts';
import { emptySummary, type RecordedChanges } from './change-report.ts';

export const changesEventType = 'workspace_changes';

export const noChanges: WorkspaceChanges = {
  available: false,
  version: 1,
  summary: emptySummary,
  files: [],
  limits: {},
};

/** Reads what a run has changed in the files of its thread; the caller has checked whose run it is. */
export async function recordedChanges(
  journal: Pick<Journal, 'events'>,
  owner: Owner,
  {
    withFiles,
    withDiffs,
    ...run
  }: { threadId: string; runId: string; withFiles: boolean; withDiffs: boolean },
): Promise<WorkspaceChanges> {
  const [event] = await journal.events(owner, { ...run, types: [changesEventType], limit: 1 });
  if (!event) return noChanges;
  const stored = event.content as RecordedChanges;
  const files = withFiles ? stored.files : [];
  return {
    ...stored,
    available: true,
    files: withDiffs ? files : files.map((file) => ({ ...file, diff: '' })),
  };
}
