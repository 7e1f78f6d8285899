import type { AnswerVersion, ThreadAnswers } from '@switchyard/contract/conversation/answers';
import type { Owner } from '../../lib/owner.ts';
import type { RecordedRunStore } from '../journal/recorded-run-store.ts';
import { type PlacedRun, RunTree } from '../journal/run-tree.ts';
import { maxPlacedRuns } from '../journal/shown-runs.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';

/** The versions of the answers that were given more than once. */
export class AnswerVersions {
  readonly #options;

  constructor(options: {
    access: Pick<ThreadAccess, 'requireRecord'>;
    runs: Pick<RecordedRunStore, 'marks' | 'placed'>;
  }) {
    this.#options = options;
  }

  async list(owner: Owner, threadId: string): Promise<ThreadAnswers> {
    const { access, runs } = this.#options;
    await access.requireRecord(owner, threadId);
    const marks = await runs.marks(owner, threadId);
    // Without a mark each run goes on from the one before it.
    if (marks.length === 0) return { data: [], has_more: false };
    const placed = await runs.placed(owner, threadId, maxPlacedRuns + 1);
    const tree = new RunTree(placed.slice(-maxPlacedRuns), marks);
    const newest = tree.lineOf(tree.newest);
    const view = (run: PlacedRun): AnswerVersion => {
      const last = tree.endOf(run.runId);
      return {
        run_id: run.runId,
        status: run.status,
        created_at: run.createdAt,
        is_newest: newest.has(run.runId),
        last_run_id: last,
        checkpoint_id: tree.stateAt(last),
      };
    };
    return {
      data: tree.versions().map((versions) => ({ versions: versions.map(view) })),
      has_more: placed.length > maxPlacedRuns,
    };
  }
}
