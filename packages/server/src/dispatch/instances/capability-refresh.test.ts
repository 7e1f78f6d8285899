import { beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import { CapabilityRefresh } from './capability-refresh.ts';

let time: ManualTime;
let asked: Deferred<string | null>[];
let closing: AbortController;
let refresh: CapabilityRefresh;

beforeEach(() => {
  time = new ManualTime();
  asked = [];
  closing = new AbortController();
  refresh = new CapabilityRefresh({
    ask: () => {
      const answer = newDeferred<string | null>();
      asked.push(answer);
      return answer.promise;
    },
    steadyClock: time.now,
    timer: time.timer,
    signal: closing.signal,
  });
});

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('all callers that ask while a question is under way share the next one, since the first may have missed what is new', async () => {
  const first = refresh.refresh();
  const others = Array.from({ length: 100 }, () => refresh.refresh());
  expect(asked).toHaveLength(1);
  asked[0]?.resolve(null);
  expect(await first).toBeNull();
  await settle();
  time.advance(1_000);
  await settle();
  expect(asked).toHaveLength(2);
  asked[1]?.resolve('It said nothing.');
  expect(new Set(await Promise.all(others))).toEqual(new Set(['It said nothing.']));
});

test('a worker is asked at most once a second', async () => {
  void refresh.refresh();
  asked[0]?.resolve(null);
  await settle();
  const second = refresh.refresh();
  time.advance(999);
  await settle();
  expect(asked).toHaveLength(1);
  expect(refresh.refresh()).toBe(second);
  time.advance(1);
  await settle();
  expect(asked).toHaveLength(2);
});

test('nothing is asked any more, and no caller is left waiting, once the instance is given up', async () => {
  void refresh.refresh();
  asked[0]?.resolve(null);
  await settle();
  const waiting = refresh.refresh();
  closing.abort();
  expect(await waiting).toContain('not looked after any more');
  expect([asked.length, time.nextTimerMs]).toEqual([1, null]);
});
