import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countersConformance } from '../../../testing/counters-conformance.ts';
import { openTestRedis } from '../../../testing/redis-fixture.ts';
import type { AttemptPolicy, Counters } from './counters.ts';
import { MemoryCounters } from './memory-counters.ts';
import { RedisCounters } from './redis-counters.ts';

const { title, isSkipped } = testRedis('counters in Redis');
const policy: AttemptPolicy = { attempts: 4, lockMs: 60_000, reservationMs: 30_000 };
const client = '203.0.113.7';

describe.skipIf(isSkipped)(title, () => {
  let server: RedisProcess;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  async function open(
    url = server.url,
    { prefix = '', clock }: { prefix?: string; clock?: () => number } = {},
  ) {
    prefixes += 1;
    const redis = await openTestRedis(url, prefix || `test-${prefixes}`, { limits: { beatMs: 50 } });
    const counters = new RedisCounters({ redis, alone: new MemoryCounters(), ...(clock && { clock }) });
    return { redis, counters };
  }

  async function fail(counters: Counters): Promise<string> {
    const reservation = await counters.reserve(client, policy);
    if (reservation.outcome !== 'reserved') return reservation.outcome;
    const { reservationId } = reservation;
    const { locked } = await counters.confirmFailure(client, { reservationId, about: 'ada', policy });
    return locked ? 'locks' : 'counts';
  }

  countersConformance('redis', async () => {
    let now = 1_000;
    const { redis, counters } = await open(server.url, { clock: () => now });
    return {
      counters,
      pass: async (ms) => {
        now += ms;
      },
      close: async () => redis.close(),
    };
  });

  it('counts what all replicas see together', async () => {
    const [here, there] = [
      await open(server.url, { prefix: 'shared' }),
      await open(server.url, { prefix: 'shared' }),
    ];
    const outcomes = [];
    for (const { counters } of [here, there, here, there, here]) outcomes.push(await fail(counters));
    expect(outcomes).toEqual(['counts', 'counts', 'counts', 'locks', 'locked']);
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? here : there).counters.reserve('203.0.113.8', policy)),
    );
    expect(attempts.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(policy.attempts);
    here.redis.close();
    there.redis.close();
  });

  it('shortens a lock when the clock of Redis is set back', async () => {
    let now = 1_000_000_000;
    const { redis, counters } = await open(server.url, { clock: () => now });
    for (let i = 0; i < policy.attempts; i += 1) await fail(counters);
    now -= 900_000_000;
    const refused = await counters.reserve(client, policy);
    expect(refused).toEqual({ outcome: 'locked', retryAfterMs: policy.lockMs });
    now += policy.lockMs;
    expect(await fail(counters)).toBe('counts');
    redis.close();
  });

  it('leaves nothing in Redis that does not expire', async () => {
    const { redis, counters } = await open();
    await fail(counters);
    await counters.countCall('register', { limit: 5, windowMs: 60_000 });
    const keys = await redis.commands.keys(`${redis.prefix}:*`);
    expect(keys.length).toBe(3);
    for (const key of keys) expect(await redis.commands.pttl(key)).toBeGreaterThan(0);
    redis.close();
  });

  describe('while Redis is away', () => {
    it('counts in the process, and allows half as many attempts and calls', async () => {
      const own = await startRedis();
      const { redis, counters } = await open(own.url);
      await own.kill();
      expect([await fail(counters), await fail(counters), await fail(counters)]).toEqual([
        'counts',
        'locks',
        'locked',
      ]);
      const window = { limit: 4, windowMs: 60_000 };
      const calls = [];
      for (let i = 0; i < 3; i += 1) calls.push((await counters.countCall('register', window)).allowed);
      expect(calls).toEqual([true, true, false]);
      redis.close();
      await own.stop();
    });

    it('remembers the failures that it counted before', async () => {
      const own = await startRedis();
      const { redis, counters } = await open(own.url);
      expect(await fail(counters)).toBe('counts');
      await own.kill();
      expect(await fail(counters)).toBe('locks');
      redis.close();
      await own.stop();
    });

    it('counts together again when it is back, emptied', async () => {
      const own = await startRedis();
      const { redis, counters } = await open(own.url);
      await own.kill();
      await fail(counters);
      await fail(counters);
      expect(await fail(counters)).toBe('locked');
      await own.restart();
      await expect.poll(() => redis.fault).toBeNull();
      const outcomes = [];
      for (let i = 0; i < 5; i += 1) outcomes.push(await fail(counters));
      expect(outcomes).toEqual(['counts', 'counts', 'counts', 'locks', 'locked']);
      redis.close();
      await own.stop();
    });

    it('decides by itself when Redis is full or takes no writes', async () => {
      const own = await startRedis();
      const { redis, counters } = await open(own.url);
      await own.command('CONFIG', 'SET', 'maxmemory', '1');
      expect([await fail(counters), await fail(counters), await fail(counters)]).toEqual([
        'counts',
        'locks',
        'locked',
      ]);
      redis.close();
      await own.stop();
    });
  });
});
