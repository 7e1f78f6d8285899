import type { PoolWaits } from '../conversation/runs/run-reasons.ts';
import type { Waiting } from '../dispatch/waiting/waiting.ts';
import type { Database } from '../platform/database/database.ts';

/** Returns why tasks wait, for the runs that wait for them, over one snapshot; the areas do not know each other. */
export function poolWaitsOf(
  waitingOver: (frozen: Database<unknown>) => Pick<Waiting, 'ofEach'>,
): (frozen: Database<unknown>) => PoolWaits {
  return (frozen) => {
    const waiting = waitingOver(frozen);
    return (userId, taskIds) => waiting.ofEach({ user: userId }, taskIds);
  };
}
