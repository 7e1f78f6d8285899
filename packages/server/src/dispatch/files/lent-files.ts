import type { SavedWorkflowReference } from '@switchyard/contract/dispatch/task';
import type { Owner } from '../../lib/owner.ts';
import type { Graph } from '../graphs/graph.ts';
import type { ShareStore } from '../shares/share-store.ts';
import type { LentFile, OwnFiles } from './own-files.ts';

/** Lends the files that are fixed in a shared workflow to its runs, and to nothing else. */
export class LentFiles {
  readonly #options;

  constructor(options: {
    workflows: {
      get: (
        owner: Owner,
        workflowId: string,
        version: number,
      ) => Promise<{ version: { graph: string } } | undefined>;
    };
    shares: Pick<ShareStore, 'right'>;
    ownFiles: Pick<OwnFiles, 'fixedIn'>;
  }) {
    this.#options = options;
  }

  /** For a copy of a task that was made from a saved workflow. Empty when the user may not run that workflow now. */
  async forCopy(userId: string, saved: SavedWorkflowReference | null): Promise<LentFile[]> {
    if (!saved) return [];
    const { workflows, shares, ownFiles } = this.#options;
    const { workflowId, version } = saved;
    const right = await shares.right(userId, 'workflow', workflowId);
    if (right?.may !== 'run' || version < right.fromVersion) return [];
    const stored = await workflows.get({ user: right.owner }, workflowId, version);
    return stored ? ownFiles.fixedIn(JSON.parse(stored.version.graph) as Graph, right.owner) : [];
  }
}
