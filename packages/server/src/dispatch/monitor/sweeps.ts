import type { Clock } from '../../lib/clock.ts';
import { dayMs, hourMs } from '../../lib/time-units.ts';
import type { Database } from '../../platform/database/database.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { TaskBatches } from '../batches/task-batches.ts';
import type { DispatchOptions, DispatchParts } from '../dispatch-parts.ts';
import type { StoredFileStore } from '../files/stored-file-store.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { InstanceEventStore } from '../instances/instance-event-store.ts';
import type { DispatchTables } from '../tables.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import { DispatchUpkeep } from './upkeep.ts';
import { UpkeepStore } from './upkeep-store.ts';

const batchesKeptMs = 30 * dayMs;
const deliveriesKeptMs = 30 * dayMs;
const instanceEventsKeptMs = 30 * dayMs;
/** The limit for all instances together, since addresses come and go. */
const maxInstanceEvents = 100_000;

/** Registers the sweeps that delete what is old. */
export function registerSweeps(
  parts: Pick<DispatchParts, 'jobs' | 'thumbnails' | 'clock' | 'options'> & {
    store: TaskStore;
    files: StoredFiles;
    fileStore: StoredFileStore;
    webhookStore: WebhookStore;
    instanceEvents: InstanceEventStore;
    batches: TaskBatches;
  },
): void {
  const { jobs, thumbnails, store, files, fileStore, webhookStore, instanceEvents, batches } = parts;
  const { clock, options } = parts;
  const forgetKeys = () => store.forgetIdempotencyKeysBefore(isoBefore(clock, dayMs));
  const forgetBatches = () => batches.forgetFinishedBefore(isoBefore(clock, batchesKeptMs));
  const sweepFiles: JobHandler = async ({ signal }) => {
    await files.removeExpired({ olderThanMs: options.retentionMs, signal });
    await thumbnails.removeUnreferenced((sha256s) => fileStore.referenced(sha256s), signal);
  };
  const forgetDeliveries = () => webhookStore.deleteDeliveriesBefore(isoBefore(clock, deliveriesKeptMs));
  const forgetInstanceEvents = () =>
    instanceEvents.forget({ beforeMs: clock() - instanceEventsKeptMs, keep: maxInstanceEvents });
  jobs.register('dispatch.forget-keys', forgetKeys, { everyMs: hourMs });
  jobs.register('dispatch.forget-batches', forgetBatches, { everyMs: dayMs });
  jobs.register('dispatch.sweep-files', sweepFiles, { everyMs: dayMs });
  jobs.register('dispatch.forget-deliveries', forgetDeliveries, { everyMs: dayMs });
  jobs.register('dispatch.forget-instance-events', forgetInstanceEvents, { everyMs: hourMs });
}

/** Returns the report on what the area stores and what its next sweeps delete. */
export function upkeepOver(frozen: Database<DispatchTables>, options: DispatchOptions): DispatchUpkeep {
  return new DispatchUpkeep({
    store: new UpkeepStore(frozen),
    filesKeptMs: options.retentionMs,
    deliveriesKeptMs,
    instanceEventsKeptMs,
  });
}

function isoBefore(clock: Clock, ageMs: number): string {
  return new Date(clock() - ageMs).toISOString();
}
