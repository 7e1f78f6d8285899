import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import { type Clock, steadyClock } from '../../lib/clock.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { FollowedFiles } from './followed-files.ts';

/** The files that runs write while they work in this process. */
export class FileChanges {
  readonly #files: Pick<WorkspaceFiles, 'open'>;
  readonly #clock: Clock;
  readonly #runs = new Map<string, FollowedFiles>();

  constructor(files: Pick<WorkspaceFiles, 'open'>, clock: Clock = steadyClock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Follows what a run writes until `forget`. */
  follow({ runId, userId, threadId }: WorkspaceKey & { runId: string }): FollowedFiles {
    const followed = new FollowedFiles({
      files: this.#files,
      whose: { userId, threadId },
      clock: this.#clock,
    });
    this.#runs.set(runId, followed);
    return followed;
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /** A tool is about to write. One whose run has ended belongs to no run any more. */
  async beforeWrite({ runId }: WorkspaceKey, path: string): Promise<void> {
    if (runId !== undefined) await this.#runs.get(runId)?.beforeWrite(path);
  }
}
