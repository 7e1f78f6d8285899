import { mounts } from '@switchyard/contract/conversation/mounts';
import type { Routes } from '../../http/app.ts';
import type { Database } from '../../platform/database/database.ts';
import { readTogether } from '../../platform/database/snapshot.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { RunSpanStore } from '../journal/run-span-store.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { ModelPrices } from '../usage/costs.ts';
import { runTimelineRoutes } from './run-timeline-routes.ts';
import { RunTimelineStore } from './run-timeline-store.ts';
import { type PoolSpans, RunTimelines } from './run-timelines.ts';

export function createTimelines({
  database,
  access,
  models,
  poolSpansOver,
  clock,
}: Pick<ConversationParts, 'database' | 'models' | 'clock'> & {
  access: Pick<ThreadAccess, 'require'>;
  /** Returns the spans of the pool's tasks, for the timelines of the runs that asked for them; null when there is no pool. */
  poolSpansOver: ((frozen: Database<unknown>) => PoolSpans) | null;
}): Routes[] {
  const timelines = new RunTimelines({
    together: readTogether(database, (frozen) => ({
      store: new RunTimelineStore(frozen),
      spans: new RunSpanStore(frozen),
      poolSpans: poolSpansOver?.(frozen.withTables()) ?? null,
    })),
    access,
    prices: new ModelPrices(models),
    clock,
  });
  return mounts.map((mount) => runTimelineRoutes(mount, { timelines }));
}
