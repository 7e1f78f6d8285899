import { expect, it } from 'vitest';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import { RedisTail } from './redis-tail.ts';
import { frameFields, idText, type RawEntry, type StreamEntry } from './stream-entries.ts';
import { newFrame } from './stream-frame.ts';

type Reply = [name: string, entries: RawEntry[]][];

const entry = (id: number): RawEntry => [
  `${id}-0`,
  frameFields(newFrame({ event: 'n', data: String(id), id, atMs: 0 })),
];

const untilStill = () => new Promise((resolve) => setImmediate(resolve));

it('gives nothing of a read that began behind the place of its reader', async () => {
  /** The reads of Redis, with the place of the one stream in each. They are answered when the test decides it. */
  const reads: { from: string; answer: Deferred<Reply> }[] = [];
  const client = {
    status: 'ready',
    xread: (...args: unknown[]) => {
      const answer = newDeferred<Reply>();
      reads.push({ from: String(args.at(-1)), answer });
      return answer.promise;
    },
  };
  const redis = {
    key: (...names: string[]) => names.join(':'),
    connect: () => client,
    release: () => undefined,
    commands: { xadd: async () => '1-0', pexpire: async () => 1 },
  };
  const tail = new RedisTail(redis as unknown as RedisServer, 'this');
  const seen: string[] = [];
  const follower = {
    take: (entries: readonly StreamEntry[]) => seen.push(...entries.map(({ at }) => idText(at))),
    lose: () => undefined,
  };
  const other = { take: () => undefined, lose: () => undefined };

  tail.join('run', { frame: 5, mark: 0 }, other);
  await untilStill();
  tail.leave('run', other);
  expect(tail.join('run', { frame: 3, mark: 0 }, follower)).toBe(true);
  reads[0]?.answer.resolve([['run:run', [entry(6)]]]);
  await untilStill();
  expect(reads.map(({ from }) => from)).toEqual(['5-0', '3-0']);
  reads[1]?.answer.resolve([['run:run', [entry(4), entry(5), entry(6)]]]);
  await untilStill();
  expect(seen).toEqual(['4-0', '5-0', '6-0']);
  tail.close();
  reads[2]?.answer.resolve([]);
  await untilStill();
});
