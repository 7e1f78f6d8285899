import type { WriteTransaction } from '../../../platform/database/database.ts';
import type { RunRow } from '../../tables.ts';

/** Something that has work to do when a run ends. */
export interface RunFollower {
  /** Part of the unit that ends the run. */
  plan?: (trx: WriteTransaction<unknown>, run: RunRow) => Promise<void>;
  /** Called after the commit. */
  ended: (run: RunRow, thread: ThreadAfterRun) => void;
}

export interface ThreadAfterRun {
  /** Another run of the thread had not ended when this one did. */
  hasOpenRun: boolean;
}

/** Everything that follows the end of a run in this process. Followers register when they are made. */
export class RunFollowers {
  readonly #followers: RunFollower[] = [];

  register(follower: RunFollower): void {
    this.#followers.push(follower);
  }

  async plan(trx: WriteTransaction<unknown>, run: RunRow): Promise<void> {
    for (const follower of this.#followers) await follower.plan?.(trx, run);
  }

  ended(run: RunRow, thread: ThreadAfterRun): void {
    for (const follower of this.#followers) follower.ended(run, thread);
  }
}
