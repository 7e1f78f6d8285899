import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { GrowingRest } from './growing-rest.ts';

function newRest() {
  const time = new ManualTime();
  const startMs = time.now();
  const ends: number[] = [];
  const onEnd = (): void => void ends.push(time.now() - startMs);
  const rest = new GrowingRest({ onEnd, timer: time.timer, clock: time.now });
  return { time, rest, ends };
}

test('each error of a series makes the rest twice as long, up to five seconds', () => {
  const { time, rest } = newRest();
  const lengths: number[] = [];
  for (let error = 0; error < 8; error += 1) {
    rest.begin();
    const lengthMs = (time.nextTimerMs ?? 0) - time.now();
    lengths.push(lengthMs);
    time.advance(lengthMs);
  }
  expect(lengths).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test('errors during a rest do not make it longer', () => {
  const { time, rest, ends } = newRest();
  rest.begin();
  rest.begin();
  expect(rest.isResting).toBe(true);
  time.advance(100);
  expect([rest.isResting, ends]).toEqual([false, [100]]);
});

test('an error after a long time without one is the first of a series', () => {
  const { time, rest } = newRest();
  for (let error = 0; error < 5; error += 1) {
    rest.begin();
    time.advance((time.nextTimerMs ?? 0) - time.now());
  }
  time.advance(10_001);
  rest.begin();
  expect((time.nextTimerMs ?? 0) - time.now()).toBe(100);
});

test('nothing follows when it is closed during a rest', () => {
  const { time, rest, ends } = newRest();
  rest.begin();
  rest.close();
  time.advance(60_000);
  expect(ends).toEqual([]);
});
