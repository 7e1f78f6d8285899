import type { Clock } from '../lib/clock.ts';
import { dayMs, hourMs } from '../lib/time-units.ts';
import type { Database } from '../platform/database/database.ts';
import type { TaskBatches } from './batches/task-batches.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import type { Records } from './create-records.ts';
import { EarlierRowStore } from './earlier-rows/earlier-row-store.ts';
import { wordEarlierRows } from './earlier-rows/earlier-rows.ts';
import { DispatchUpkeep } from './monitor/upkeep.ts';
import { UpkeepStore } from './monitor/upkeep-store.ts';
import type { DispatchTables } from './tables.ts';

const batchesKeptMs = 30 * dayMs;
const deliveriesKeptMs = 30 * dayMs;
const instanceEventsKeptMs = 30 * dayMs;
/** The limit for all instances together, since addresses come and go. */
const maxInstanceEvents = 100_000;

/** What is forgotten in time. */
export function registerSweeps(
  { database, jobs, thumbnails, clock, options }: DispatchDependencies,
  { records, batches }: { records: Records; batches: TaskBatches },
): void {
  const { store, files, fileStore, webhookStore, instanceEvents } = records;
  jobs.register('dispatch.forget-keys', () => store.forgetIdempotencyKeysBefore(isoBefore(clock, dayMs)));
  jobs.every('dispatch.forget-keys', hourMs);
  jobs.register('dispatch.forget-batches', () =>
    batches.forgetFinishedBefore(isoBefore(clock, batchesKeptMs)),
  );
  jobs.every('dispatch.forget-batches', dayMs);
  jobs.register('dispatch.sweep-files', async ({ signal }) => {
    await files.removeExpired({ olderThanMs: options.retentionMs, signal });
    await thumbnails.removeUnreferenced((sha256s) => fileStore.referenced(sha256s), signal);
  });
  jobs.every('dispatch.sweep-files', dayMs);
  jobs.register('dispatch.forget-deliveries', () =>
    webhookStore.deleteDeliveriesBefore(isoBefore(clock, deliveriesKeptMs)),
  );
  jobs.every('dispatch.forget-deliveries', dayMs);
  jobs.register('dispatch.forget-instance-events', () =>
    instanceEvents.forget({ beforeMs: clock() - instanceEventsKeptMs, keep: maxInstanceEvents }),
  );
  jobs.every('dispatch.forget-instance-events', hourMs);
  wordEarlierRows(new EarlierRowStore(database), { jobs });
}

/** What the area stores, and what its next sweeps delete. */
export function createUpkeep({
  options,
}: DispatchDependencies): (frozen: Database<DispatchTables>) => DispatchUpkeep {
  return (frozen) =>
    new DispatchUpkeep({
      store: new UpkeepStore(frozen),
      filesKeptMs: options.retentionMs,
      deliveriesKeptMs,
      instanceEventsKeptMs,
    });
}

function isoBefore(clock: Clock, ageMs: number): string {
  return new Date(clock() - ageMs).toISOString();
}
