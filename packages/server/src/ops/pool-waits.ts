import type { PoolWaits } from '../conversation/runs/run-reasons.ts';
import type { Waiting } from '../dispatch/waiting/waiting.ts';

/** Why tasks wait, as runs that wait for them tell it; the areas do not know each other. */
export function poolWaitsOf(waiting: Pick<Waiting, 'ofEach'>): PoolWaits {
  return (userId, taskIds) => waiting.ofEach({ user: userId }, taskIds);
}
