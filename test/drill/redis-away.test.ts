import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisProcess } from '@switchyard/dev-env/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks, type Talk } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { openStage, outputs, type Stage, testDrill } from './drill-stage.ts';
import { again, answered } from './further-talks.ts';
import { SteadyLoad } from './steady-load.ts';
import { checkCalls, untilDelivered } from './webhook-checks.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const drill = testDrill('Redis of three replicas');
const talkers = 8;
/** The time without Redis. The whole drill takes 30 s, as the one that cuts Postgres off does. */
const awayMs = Number(process.env.DRILL_CUT_MS ?? 8_000);

interface Outage {
  title: string;
  begin(redis: RedisProcess): Promise<void>;
  end(redis: RedisProcess): Promise<void>;
  /** What health says meanwhile. */
  cache: 'connected' | 'disconnected';
}

const outages: Outage[] = [
  {
    title: 'killed, and started again with nothing in it',
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart(),
    cache: 'disconnected',
  },
  {
    title: 'emptied',
    begin: (redis) => redis.flush(),
    end: async () => undefined,
    cache: 'connected',
  },
  {
    title: 'cut off: nothing is answered, and no connection breaks',
    begin: async (redis) => redis.freeze(),
    end: async (redis) => redis.thaw(),
    cache: 'disconnected',
  },
  {
    title: 'full',
    begin: (redis) => set(redis, 'maxmemory', '1'),
    end: (redis) => set(redis, 'maxmemory', '0'),
    cache: 'disconnected',
  },
  {
    title: 'read-only',
    // A replica of a server that does not exist takes no writes.
    begin: async (redis) => ok(await redis.command('REPLICAOF', '127.0.0.1', '1')),
    end: async (redis) => ok(await redis.command('REPLICAOF', 'NO', 'ONE')),
    cache: 'disconnected',
  },
];

describe.skipIf(drill.isSkipped)(drill.title, () => {
  const allTalks: Talk[] = [];
  let stage: Stage;
  let receiver: WebhookReceiver;
  let load: SteadyLoad;

  beforeAll(async () => {
    const { random } = chaosOptions('Redis away');
    stage = await openStage({ env: { SWITCHYARD__DISPATCH__WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' } });
    receiver = await WebhookReceiver.start();
    await stage.tasks.addWebhook(receiver.url);
    load = new SteadyLoad(stage.tasks, random);
  });
  afterAll(async () => {
    await stage?.stop();
    receiver?.close();
  });

  for (const { title, begin, end, cache } of outages)
    it(`that is ${title} ends no process, is told without a stack trace, and loses, doubles and holds up nothing`, async () => {
      const { cluster, tasks, line } = stage;
      const { redis, replicas } = cluster;
      const pids = replicas.map(({ pid }) => pid);
      const talks = await startTalks(line, talkers);
      load.start();
      const talking = inTime(stage, 'Not every stream has ended', answered(talks));
      await Promise.race([talking, halfHaveBegun(talks)]);

      await begin(redis);
      const over = sleep(awayMs);
      for (const { url } of replicas) await expect.poll(() => healthOf(url)).toEqual({ status: 200, cache });
      // Reads, new tasks and new runs go on.
      const later = again(stage, talks);
      const talkingLater = inTime(stage, 'Not every later stream has ended', answered(later));
      await over;
      await end(redis);

      for (const { url } of replicas)
        await expect.poll(() => healthOf(url)).toEqual({ status: 200, cache: 'connected' });
      await talking;
      await talkingLater;
      await load.stop();
      await settle(stage);
      await inTime(stage, 'Not every webhook was delivered', untilDelivered(stage));
      expect(
        replicas.map(({ pid }) => pid),
        outputs(replicas),
      ).toEqual(pids);
      for (const replica of replicas) expect(tracesOfRedis(replica.output())).toEqual([]);
      allTalks.push(...talks, ...later);
      const { laterAttempts } = await checkAll(stage, {
        talks: allTalks,
        inversions: inversionsOf(allTalks),
      });
      expect(checkCalls(receiver, tasks), 'calls that lost their replica').toEqual([]);
      console.log(
        `${title}: ${tasks.accepted.size} tasks, ${allTalks.length} runs and ${receiver.calls.length} calls in all, ` +
          `${laterAttempts} runs in a later attempt, ${load.failures.length} requests repeated`,
      );
    });
});

/** The lines of the log that tell a fault of Redis with a stack trace. */
function tracesOfRedis(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /"stack":.*(ReplyError|MaxRetries|ECONNREFUSED|ENOENT|redis)/i.test(line));
}

async function healthOf(url: string): Promise<{ status: number; cache: string }> {
  const answer = await fetch(new URL('/api/health', url));
  const { data } = (await answer.json()) as { data: { cache: string } };
  return { status: answer.status, cache: data.cache };
}

async function set(redis: RedisProcess, setting: string, value: string): Promise<void> {
  ok(await redis.command('CONFIG', 'SET', setting, value));
}

function ok(reply: string): void {
  if (reply !== '+OK') throw new Error(`Redis answered ${reply}.`);
}
