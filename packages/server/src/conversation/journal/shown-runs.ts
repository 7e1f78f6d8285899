import type { Owner } from '../../lib/owner.ts';
import { hiddenRuns } from './message-visibility.ts';
import type { RecordedRunStore } from './recorded-run-store.ts';
import { runNotFound } from './run-not-found.ts';
import { type RunMarks, RunTree } from './run-tree.ts';

/** So many of the newest runs of a thread have versions. */
export const maxPlacedRuns = 2_000;

type Runs = Pick<RecordedRunStore, 'marks' | 'placed'>;

interface WantedConversation {
  threadId: string;
  /** A run that is part of it; the newest conversation unless it is given. */
  runId?: string | undefined;
}

/** The runs of a thread that a reader does not see. */
export async function hiddenInThread(
  runs: Runs,
  owner: Owner,
  { threadId, runId }: WantedConversation,
): Promise<Set<string>> {
  const marks = await runs.marks(owner, threadId);
  if (runId === undefined && !marks.some(makesVersion)) return hiddenRuns(marks);
  const tree = new RunTree(await runs.placed(owner, threadId, maxPlacedRuns), marks);
  if (runId !== undefined && !tree.has(runId)) throw runNotFound(runId);
  const older = marks.filter((mark) => !tree.has(mark.runId));
  const end = runId === undefined ? tree.newest : tree.endOf(runId);
  return new Set([...tree.hiddenFrom(end), ...hiddenRuns(older)]);
}

/** The state after the last run of the newest conversation with this run; null where none is stored. */
export async function stateOfConversation(
  runs: Runs,
  owner: Owner,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<string | null> {
  const marks = await runs.marks(owner, threadId);
  const tree = new RunTree(await runs.placed(owner, threadId, maxPlacedRuns), marks);
  if (!tree.has(runId)) throw runNotFound(runId);
  return tree.stateAt(tree.endOf(runId));
}

function makesVersion({ continuesFrom, replayKind }: RunMarks): boolean {
  return continuesFrom !== null || replayKind === 'version';
}
