import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import type { Jobs } from '../src/platform/jobs/jobs.ts';
import { StoredJobs } from '../src/platform/jobs/stored-jobs.ts';
import { OfferQueues } from '../src/platform/offers/offer-queues.ts';
import type { RedisServer } from '../src/platform/redis/redis-server.ts';
import type { JobEngine } from './job-fleet.ts';
import { openTestRedis } from './redis-fixture.ts';

const kinds = ['work', 'jobs.prune'];

/**
 * BullMQ for a fleet whose time is manual. BullMQ itself lives in real time, so what is due by the clock of the test is
 * handed out as if its delay were over.
 */
export async function openBullmqJobEngine(url: string): Promise<JobEngine> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const own = await openTestRedis(url, prefix);
  const watched = kinds.map(
    (kind) => new Queue(`jobs.${kind}`, { connection: own.commands, prefix: own.key('offers') }),
  );
  // Tests take Redis away.
  for (const queue of watched) queue.on('error', () => undefined);
  const opened = new Map<Jobs, { redis: RedisServer; offers: OfferQueues }>();
  const killed: Jobs[] = [];

  return {
    newJobs: async (options) => {
      const redis = await openTestRedis(url, prefix);
      const offers = await OfferQueues.open({ redis });
      const jobs = new StoredJobs({ ...options, offers });
      opened.set(jobs, { redis, offers });
      return jobs;
    },
    advance: async (nowMs) => {
      for (const queue of watched) {
        const due = (await queue.getDelayed(0, 200)).filter(({ data }) => data.dueAtMs <= nowMs);
        // It may have been handed out meanwhile.
        for (const offer of due) await offer.promote().catch(() => undefined);
      }
    },
    look: async (database, nowMs) => {
      const counts = [];
      for (const queue of watched)
        counts.push(await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed'));
      const rows = await database.read
        .selectFrom('jobs')
        .select(['id', 'attempt', 'runner', 'dueAtMs'])
        .orderBy('id')
        .execute();
      const claimed = rows.filter(({ runner, dueAtMs }) => runner !== null && (dueAtMs ?? 0) > nowMs).length;
      const active = counts.reduce((sum, { active: count = 0 }) => sum + count, 0);
      // An offer in hand without a claim of its row, or the other way round, is on its way.
      const isMoving = killed.length === 0 && active !== claimed;
      return JSON.stringify([counts, rows, isMoving && Math.random()]);
    },
    kill: (jobs) => {
      killed.push(jobs);
      opened.get(jobs)?.redis.close();
    },
    close: async () => {
      for (const jobs of killed) void jobs.close(0);
      for (const { redis, offers } of opened.values()) {
        offers.close();
        redis.close();
      }
      await Promise.all(watched.map((queue) => queue.close()));
      own.close();
    },
  };
}
