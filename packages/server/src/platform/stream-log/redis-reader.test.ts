import { beforeEach, describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import { RedisReader } from './redis-reader.ts';
import type { Follower, RedisTail } from './redis-tail.ts';
import { type EntryId, frameFields, isAfter, type RawEntry, readEntry } from './stream-entries.ts';
import { newFrame } from './stream-frame.ts';

const frame = newFrame({ event: 'n', data: '0', id: 1, atMs: 0 });
const first: RawEntry = ['1-0', frameFields(frame)];
const begin: RawEntry = ['0-1', ['mark', 'begin']];
const end: RawEntry = ['1-1', ['mark', 'end']];

/** Commands that are answered when the test decides it. */
let asked: Deferred<RawEntry[]>[] = [];
let followers: Follower[] = [];
/** The last entry that other readers of the process have. */
let ahead: EntryId | undefined;
let time: ManualTime;
let reader: RedisReader;

beforeEach(() => {
  asked = [];
  followers = [];
  ahead = undefined;
  time = new ManualTime();
  const ask = (): Promise<RawEntry[]> => {
    const answer = newDeferred<RawEntry[]>();
    asked.push(answer);
    return answer.promise;
  };
  const redis = { commands: { xrange: ask, xrevrange: ask }, key: (...names: string[]) => names.join(':') };
  const tail: Pick<RedisTail, 'join' | 'leave' | 'placeOf'> = {
    join: (_key, at, follower) => {
      if (ahead && isAfter(ahead, at)) return false;
      return followers.push(follower) > 0;
    },
    leave: () => undefined,
    placeOf: () => ahead,
  };
  reader = new RedisReader({
    redis: redis as unknown as RedisServer,
    tail: tail as RedisTail,
    limits: { framesPerRun: 10 },
    timer: time.timer,
    key: 'run',
  });
});

/** Lets the reader go on as far as it can without an answer or the time. */
const untilStill = () => new Promise((resolve) => setImmediate(resolve));

/** Answers every command that waits. */
async function answer(entries: RawEntry[]): Promise<void> {
  for (const waiting of asked.splice(0)) waiting.resolve(entries);
  await untilStill();
}

const open = { at: { frame: 1, mark: 0 }, mark: null, missingUpTo: 0 };

const isWaiting = () => time.nextTimerMs !== null;

describe('a reader that is woken while it asks Redis', () => {
  it('asks again at once, because the answer may be older than the news', async () => {
    const found = reader.untilThere(() => false);
    await answer([]);
    expect(isWaiting()).toBe(true);
    reader.wake();
    await untilStill();
    expect(asked).toHaveLength(2);
    followers[0]?.take([readEntry(first)]);
    await answer([]);
    expect(isWaiting()).toBe(false);
    await answer([first]);
    expect(await found).toEqual(open);
  });

  it('ends at once when it is no longer wanted', async () => {
    let isOver = false;
    const next = reader.follow(open, { after: 1, isOver: () => isOver }).next();
    expect(asked).toHaveLength(1);
    isOver = true;
    reader.wake();
    await answer([]);
    expect(isWaiting()).toBe(false);
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('waits for the next news after that', async () => {
    const found = reader.untilThere(() => false);
    reader.wake();
    await answer([]);
    expect(asked).toHaveLength(2);
    await answer([]);
    expect(isWaiting()).toBe(true);
    reader.wake();
    await untilStill();
    await answer([first]);
    expect(await found).toEqual(open);
  });
});

describe('a reader that is behind the others', () => {
  it('asks again at once when they have seen the beginning before its answer came', async () => {
    const found = reader.untilThere(() => false);
    ahead = { frame: 0, mark: 1 };
    await answer([]);
    expect(isWaiting()).toBe(false);
    await answer([begin]);
    expect(await found).toEqual({ at: ahead, mark: 'begin', missingUpTo: 0 });
  });

  it('waits behind them for a stream that is gone by then', async () => {
    const found = reader.untilThere(() => false);
    ahead = { frame: 7, mark: 1 };
    await answer([]);
    await answer([]);
    await answer([]);
    expect(followers).toHaveLength(1);
    expect(isWaiting()).toBe(true);
    reader.wake();
    await untilStill();
    await answer([first]);
    expect(await found).toEqual(open);
  });
});

describe('a reader that looks after its stream because nothing has come for long', () => {
  it('does not miss the end that Redis has and that is still under way to it', async () => {
    const next = reader.follow(open, { after: 1, isOver: () => false }).next();
    await answer([]);
    time.advance(15_000);
    await untilStill();
    await answer([end]);
    followers[0]?.take([readEntry(end)]);
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
