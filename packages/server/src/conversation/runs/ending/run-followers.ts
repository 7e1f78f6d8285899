import type { Step } from '../../../platform/database/procedure.ts';
import type { RunRow } from '../../tables.ts';

/** Something that has work to do when a run ends. */
export interface RunFollower {
  /** Returns parts of the unit that ends the run. */
  plan?: (run: RunRow) => Step[];
  /** Called after the commit. */
  ended: (run: RunRow) => void;
}

/** Everything that follows the end of a run in this process. Followers register when they are made. */
export class RunFollowers {
  readonly #followers: RunFollower[] = [];

  register(follower: RunFollower): void {
    this.#followers.push(follower);
  }

  plan(run: RunRow): Step[] {
    return this.#followers.flatMap((follower) => follower.plan?.(run) ?? []);
  }

  ended(run: RunRow): void {
    for (const follower of this.#followers) follower.ended(run);
  }
}
