import { mounts } from '@switchyard/contract/conversation/mounts';
import type { Routes } from '../../http/app.ts';
import type { Database } from '../../platform/database/database.ts';
import { readTogether } from '../../platform/database/snapshot.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { RunSpanStore } from '../journal/run-span-store.ts';
import { ThreadAccess } from '../threads/thread-access.ts';
import { ThreadStore } from '../threads/thread-store.ts';
import { RunStore } from './records/run-store.ts';
import { runReasonRoutes } from './run-reason-routes.ts';
import { type PoolWaits, RunReasons } from './run-reasons.ts';
import { runRoutes, statelessRunRoutes } from './run-routes.ts';
import type { Runs } from './runs.ts';

export function createRunRoutes({
  database,
  openStreams,
  runs,
  poolWaitsOver,
  clock,
}: Pick<ConversationParts, 'database' | 'openStreams' | 'clock'> & {
  runs: Runs;
  /** Returns the reasons for which tasks of the pool wait; null when there is no pool. */
  poolWaitsOver: ((frozen: Database<unknown>) => PoolWaits) | null;
}): { runReasons: RunReasons; routes: Routes[] } {
  const runReasons = new RunReasons({
    together: readTogether(database, (frozen) => ({
      store: new RunStore(frozen),
      spans: new RunSpanStore(frozen),
      access: new ThreadAccess(new ThreadStore(frozen)),
      poolWaits: poolWaitsOver?.(frozen.withTables()) ?? null,
    })),
    clock,
  });
  const routes = mounts.flatMap((mount) => [
    runRoutes(mount, { runs, openStreams }),
    statelessRunRoutes(mount, { runs, openStreams }),
    runReasonRoutes(mount, { reasons: runReasons }),
  ]);
  return { runReasons, routes };
}
