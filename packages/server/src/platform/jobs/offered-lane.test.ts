import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { databaseTime } from '../database/database-time.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import type { Offer, OfferQueue } from '../offers/offer-queue.ts';
import { defaultPolicy, lockMs } from './job-defaults.ts';
import { JobStore } from './job-store.ts';
import { jobMigrations } from './migrations.ts';
import { type JobOffer, OfferedLane } from './offered-lane.ts';
import type { JobTables } from './tables.ts';

test('a job that is moved while its offer is on its way is offered for its new time as well', async () => {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'jobs', jobMigrations);
  const jobs = database.withTables<JobTables>();
  const store = new JobStore(jobs, databaseTime(jobs));
  const firstArrives = newDeferred();
  const offered: number[] = [];
  const queue = {
    serve: async () => undefined,
    offer: async (offers: readonly Offer<JobOffer>[]) => {
      offered.push(...offers.map(({ data }) => data.dueAtMs));
      if (offered.length === 1) await firstArrives.promise;
    },
  } as unknown as OfferQueue<JobOffer>;
  const lane = new OfferedLane({
    kind: 'work',
    handler: async () => undefined,
    policy: defaultPolicy,
    store,
    runner: { id: 'this process', lockMs },
    timer: new ManualTime(0).timer,
    random: () => 0.5,
    report: ({ error }) => expect.fail(String(error)),
    openQueue: () => queue,
  });
  await lane.start();
  const soonMs = Date.now() + 60_000;
  const put = async (runAtMs: number): Promise<void> => {
    lane.remember(await store.add({ kind: 'work', key: 'k', runAtMs, payload: {} }));
    lane.wake();
  };
  await put(soonMs);
  await expect.poll(() => offered).toEqual([soonMs]);
  await put(soonMs + 5_000);
  firstArrives.resolve();
  await expect.poll(() => offered).toEqual([soonMs, soonMs + 5_000]);
  await database.close();
});
