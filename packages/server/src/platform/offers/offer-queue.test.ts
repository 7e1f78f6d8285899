import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { openTestRedis } from '../../../testing/redis-fixture.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import type { OfferQueue } from './offer-queue.ts';
import { OfferQueues } from './offer-queues.ts';

const here = testRedis('queues of offers');

describe.skipIf(here.isSkipped)(here.title, () => {
  let server: RedisProcess;
  let opened: { redis: RedisServer; offers: OfferQueues; queues: OfferQueue<string>[] }[];

  beforeAll(async () => {
    server = await startRedis();
  });

  beforeEach(async () => {
    opened = [];
    await server.flush();
  });

  afterEach(async () => {
    for (const { redis, offers, queues } of opened) {
      await Promise.all(queues.map((queue) => queue.close()));
      offers.close();
      redis.close();
    }
  });

  afterAll(() => server.stop());

  /** A process with one queue. */
  async function open(
    report: () => void = () => undefined,
    time?: ManualTime,
  ): Promise<{ queue: OfferQueue<string>; redis: RedisServer }> {
    const redis = await openTestRedis(server.url);
    const offers = await OfferQueues.open({
      redis,
      ...(time && { timer: time.timer, steadyClock: time.now }),
    });
    const queue = offers.queue<string>('work', report);
    opened.push({ redis, offers, queues: [queue] });
    return { queue, redis };
  }

  const offer = (id: string, priority?: number) => ({
    id,
    data: id,
    delayMs: 0,
    ...(priority !== undefined && { priority }),
  });

  test('hand each offer to one process, the lowest number first', async () => {
    const one = await open();
    const other = await open();
    const taken: string[] = [];
    const take = async (data: string) => {
      taken.push(data);
      return undefined;
    };
    await one.queue.offer([offer('c', 3), offer('a', 1), offer('d', 4), offer('b', 2)]);
    await other.queue.serve(take, { concurrency: 1, lockMs: 30_000 });
    await expect.poll(() => taken).toEqual(['a', 'b', 'c', 'd']);
    await one.queue.serve(take, { concurrency: 1, lockMs: 30_000 });
    await one.queue.offer(Array.from({ length: 50 }, (_, n) => offer(`n${n}`, 5)));
    await expect.poll(() => taken.length).toBe(54);
    expect(new Set(taken).size).toBe(54);
    await expect.poll(() => one.queue.count()).toBe(0);
  });

  test('keep one offer of an id', async () => {
    const { queue } = await open();
    await queue.offer([offer('a'), offer('a')]);
    await queue.offer([offer('a')]);
    expect(await queue.count()).toBe(1);
  });

  test('make an offer a second time that has been due for long, since a wrong clock may keep it back', async () => {
    const { queue } = await open();
    const taken: string[] = [];
    await queue.offer([{ ...offer('a'), delayMs: 259_200_000 }]);
    for (let sweep = 0; sweep < 2; sweep += 1) {
      await queue.offer([{ ...offer('a'), delayMs: -10_000 }]);
      expect(await queue.count()).toBe(1);
    }
    await queue.offer([{ ...offer('a'), delayMs: -10_001 }]);
    await queue.offer([{ ...offer('a'), delayMs: -90_000 }]);
    expect(await queue.count()).toBe(2);
    await queue.serve(async (data) => void taken.push(data), { concurrency: 1, lockMs: 30_000 });
    await expect.poll(() => taken).toEqual(['a']);
  });

  test('hand an offer out again that its process does not want now', async () => {
    const { queue } = await open();
    let hands = 0;
    await queue.serve(
      async () => {
        hands += 1;
        return hands < 3 ? { againInMs: hands === 1 ? 0 : 5 } : undefined;
      },
      { concurrency: 1, lockMs: 30_000 },
    );
    await queue.offer([offer('a', 1)]);
    await expect.poll(() => hands).toBe(3);
    await expect.poll(() => queue.count()).toBe(0);
  });

  test('hand an offer out again when the process that has it in hand is gone', async () => {
    const gone = await open();
    const taken = newDeferred();
    await gone.queue.serve(
      () => {
        taken.resolve();
        return new Promise(() => undefined);
      },
      { concurrency: 1, lockMs: 1_000 },
    );
    await gone.queue.offer([offer('a')]);
    await taken.promise;
    gone.redis.close();
    const next = await open();
    const again: string[] = [];
    await next.queue.serve(
      async (data) => {
        again.push(data);
        return undefined;
      },
      { concurrency: 1, lockMs: 1_000 },
    );
    await expect.poll(() => again).toEqual(['a']);
  });

  test('leave an offer to another process while one rests', async () => {
    const resting = await open();
    const busy = await open();
    const taken: string[] = [];
    const takeAs = (name: string) => async () => {
      taken.push(name);
      return undefined;
    };
    let hasRoom = false;
    await resting.queue.serve(
      async () => {
        if (!hasRoom) return { againInMs: 0 };
        taken.push('resting');
        return undefined;
      },
      { concurrency: 1, lockMs: 30_000 },
    );
    resting.queue.rest();
    await busy.queue.serve(takeAs('busy'), { concurrency: 1, lockMs: 30_000 });
    for (let n = 0; n < 10; n += 1) await busy.queue.offer([offer(`n${n}`, 1)]);
    await expect.poll(() => taken.length).toBe(10);
    expect(new Set(taken)).toEqual(new Set(['busy']));
    busy.queue.rest();
    hasRoom = true;
    resting.queue.resume();
    await busy.queue.offer([offer('last', 1)]);
    await expect.poll(() => taken.length).toBe(11);
  });

  test('wait for Redis without asking again and again, and go on when it is back', async () => {
    let faults = 0;
    const one = await open(() => {
      faults += 1;
      // A queue that asks without a pause lets nothing else run, this test included, until it is closed.
      if (faults === 500) void one.queue.close();
    });
    const taken: string[] = [];
    const gate = newDeferred();
    await one.queue.serve(
      async (data) => {
        taken.push(data);
        await gate.promise;
        return undefined;
      },
      { concurrency: 1, lockMs: 30_000 },
    );
    await one.queue.offer([offer('a', 1), offer('b', 2)]);
    await expect.poll(() => taken).toEqual(['a']);
    await server.kill();
    gate.resolve();
    await expect.poll(() => one.redis.fault).not.toBeNull();
    await server.restart();
    await expect.poll(() => one.queue.offer([offer('c')]).then(() => taken, String)).toContain('c');
    expect(faults).toBeLessThan(500);
  });

  const scriptCalls = async (): Promise<number> => {
    const statistics = await server.command('INFO', 'commandstats');
    const counts = [...statistics.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) =>
      Number(count),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

  const noWrites = [
    { state: 'full', begin: ['CONFIG', 'SET', 'maxmemory', '1'], end: ['CONFIG', 'SET', 'maxmemory', '0'] },
    { state: 'read-only', begin: ['REPLICAOF', '127.0.0.1', '1'], end: ['REPLICAOF', 'NO', 'ONE'] },
  ];

  test.each(noWrites)(
    'ask a Redis that is $state seldom, and go on when it takes writes again',
    async ({ begin, end }) => {
      const time = new ManualTime();
      let faults = 0;
      const { queue } = await open(() => {
        faults += 1;
      }, time);
      const taken: string[] = [];
      await queue.offer([offer('a'), offer('b')]);
      await server.command(...begin);
      try {
        const take = async (data: string) => {
          taken.push(data);
          return undefined;
        };
        await queue.serve(take, { concurrency: 1, lockMs: 30_000 });
        await expect.poll(() => time.nextTimerMs).not.toBeNull();
        for (const restMs of [100, 200, 400, 800]) {
          // In this time a worker that does not rest asks hundreds of times.
          const before = await scriptCalls();
          for (let count = 0; count < 300; count += 1) await server.command('PING');
          expect((await scriptCalls()) - before).toBeLessThan(20);
          expect(time.nextTimerMs).toBe(time.now() + restMs);
          const earlier = faults;
          time.advance(restMs);
          await expect.poll(() => faults).toBeGreaterThan(earlier);
          await expect.poll(() => time.nextTimerMs).not.toBeNull();
        }
      } finally {
        await server.command(...end);
      }
      expect(taken).toEqual([]);
      time.advance(5_000);
      await expect.poll(() => taken).toEqual(['a', 'b']);
    },
  );

  test.each(['killed', 'frozen'])('close while Redis is %s, with an offer in hand', async (state) => {
    const one = await open();
    const begun = newDeferred();
    await one.queue.serve(
      () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
      { concurrency: 2, lockMs: 30_000 },
    );
    await one.queue.offer([offer('a')]);
    await begun.promise;
    if (state === 'killed') await server.kill();
    else server.freeze();
    try {
      const closed = one.queue.close();
      one.redis.close();
      await closed;
    } finally {
      if (state === 'killed') await server.restart();
      else server.thaw();
    }
  });
});
