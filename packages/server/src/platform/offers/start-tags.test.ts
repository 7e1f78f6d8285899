import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestRedis } from '../../../testing/redis-fixture.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import { maxPriority } from './offer-queue.ts';
import { StartTags } from './start-tags.ts';

const here = testRedis('start tags');

describe.skipIf(here.isSkipped)(here.title, () => {
  let server: RedisProcess;
  let redis: RedisServer;
  let tags: StartTags;

  beforeAll(async () => {
    server = await startRedis();
    redis = await openTestRedis(server.url);
  });

  beforeEach(async () => {
    await server.flush();
    tags = new StartTags({ connection: redis.commands, key: (name) => redis.key('runs', name) });
  });

  afterAll(async () => {
    redis.close();
    await server.stop();
  });

  const offers = (owner: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${owner}${n}`, owner }));

  test('let owners take turns, however many offers each has', async () => {
    const all = [...offers('a', 200), ...offers('b', 20), ...offers('c', 2)];
    const priorities = await tags.prioritiesOf(all);
    const inOrder = all
      .map(({ owner }, n) => ({ owner, priority: priorities[n] ?? 0, n }))
      .sort((one, other) => one.priority - other.priority || one.n - other.n);
    const first = inOrder.slice(0, 6).map(({ owner }) => owner);
    expect(first.filter((owner) => owner === 'a')).toHaveLength(2);
    expect(first.filter((owner) => owner === 'b')).toHaveLength(2);
    expect(first.filter((owner) => owner === 'c')).toHaveLength(2);
    const next = inOrder.slice(6, 26).map(({ owner }) => owner);
    expect(next.filter((owner) => owner === 'b')).toHaveLength(10);
  });

  test('let an owner who comes later begin at once, without having saved up turns', async () => {
    const [a0, a1, a2] = await tags.prioritiesOf(offers('a', 3));
    for (const id of ['a0', 'a1']) await tags.served(id);
    const [b0, b1] = await tags.prioritiesOf(offers('b', 2));
    expect([a0, a1, a2]).toEqual([1, 2, 3]);
    expect([b0, b1]).toEqual([2, 3]);
  });

  test('give an offer the same place however often it is made', async () => {
    const [first] = await tags.prioritiesOf(offers('a', 1));
    const [again, next] = await tags.prioritiesOf(offers('a', 2));
    expect([first, again, next]).toEqual([1, 1, 2]);
  });

  test('keep one number for each owner, and nothing of what was served or dropped', async () => {
    for (let round = 0; round < 50; round += 1) {
      const owner = `owner${round}`;
      await tags.prioritiesOf(offers(owner, 2));
      await tags.served(`${owner}0`);
      await tags.dropped(`${owner}1`);
    }
    await tags.prioritiesOf([{ id: 'last', owner: 'last' }]);
    await tags.served('last');
    expect(Number(await redis.commands.hlen(redis.key('runs', 'tags')))).toBe(0);
    expect(Number(await redis.commands.zcard(redis.key('runs', 'finish')))).toBeLessThanOrEqual(51);
  });

  test('stay within what BullMQ takes, and say when they have to begin again', async () => {
    expect(await tags.isWorn()).toBe(false);
    await redis.commands.set(redis.key('runs', 'now'), maxPriority + 5);
    expect(await tags.prioritiesOf(offers('a', 1))).toEqual([maxPriority]);
    expect(await tags.isWorn()).toBe(true);
    await tags.reset();
    expect(await tags.isWorn()).toBe(false);
    expect(await tags.prioritiesOf(offers('b', 1))).toEqual([1]);
  });
});
