import { describe, expect, test } from 'vitest';
import { durationsOf, quartilesOf } from './durations.ts';
import { etaOfRunning, etaOfWaiting } from './eta.ts';

const evenly = (from: number, to: number) =>
  Array.from({ length: 101 }, (_, index) => from + ((to - from) * index) / 100);
const own = evenly(10, 30);
const others = evenly(100, 200);
const work = { nowMs: 1_000, own, others, ahead: 0, rivals: 0, busyForMs: [], free: 1, delayMs: 0 };

describe('the estimate of a waiting task', () => {
  test('is the time of its graph when an instance is free for it', () => {
    expect(etaOfWaiting({ ...work, busyForMs: [5], free: 1 })).toEqual({ fromMs: 1_011, toMs: 1_029 });
    expect(etaOfWaiting({ ...work, ahead: 2, free: 3 })).toEqual({ fromMs: 1_011, toMs: 1_029 });
  });

  test('adds what is left of the task on the instance when none is free', () => {
    const fixed = { ...work, own: [10, 10, 10, 10, 10], others: [100, 100, 100, 100, 100], free: 0 };
    expect(etaOfWaiting({ ...fixed, busyForMs: [70] })).toEqual({ fromMs: 1_040, toMs: 1_040 });
    expect(etaOfWaiting({ ...fixed, busyForMs: [70, 20] })).toEqual({ fromMs: 1_040, toMs: 1_040 });
    // It has taken longer than any other, so nothing is known of it.
    expect(etaOfWaiting({ ...fixed, busyForMs: [500] })).toEqual({ fromMs: 1_110, toMs: 1_110 });
  });

  test('spreads the tasks ahead over the instances', () => {
    const fixed = { ...work, own: [10], others: [100], busyForMs: [0, 50], free: 0 };
    // The instances are free at 50 and 100, so the three tasks end at 150, 200 and 250.
    expect(etaOfWaiting({ ...fixed, ahead: 3 })).toEqual({ fromMs: 1_210, toMs: 1_210 });
    expect(etaOfWaiting({ ...fixed, ahead: 10_000 })?.toMs).toBeCloseTo(1_000 + 500_000, -3);
  });

  test('is far narrower than what its parts could take at worst', () => {
    const eta = etaOfWaiting({ ...work, ahead: 40 });
    expect((eta?.toMs ?? 0) - (eta?.fromMs ?? 0)).toBeLessThan(40 * 100 * 0.2);
  });

  test('takes the time of its own graph for the tasks ahead when nothing else is known', () => {
    const fixed = { ...work, own: [20], others: null, busyForMs: [0], free: 0, ahead: 1 };
    expect(etaOfWaiting(fixed)).toEqual({ fromMs: 1_060, toMs: 1_060 });
  });

  test('lets some instances stand for very many', () => {
    const many = Array.from({ length: 160 }, () => 50);
    const fixed = { ...work, own: [10], others: [100], free: 0, ahead: 160 };
    expect(etaOfWaiting({ ...fixed, busyForMs: many })).toEqual({ fromMs: 1_160, toMs: 1_160 });
  });

  test('begins when the task may be placed', () => {
    expect(etaOfWaiting({ ...work, delayMs: 500 })?.fromMs).toBe(1_511);
    expect(etaOfWaiting({ ...work, delayMs: -500 })?.fromMs).toBe(1_011);
  });

  test('is the same each time, and unknown without an instance', () => {
    const asked = { ...work, ahead: 7, busyForMs: [10, 20], free: 0 };
    expect(etaOfWaiting(asked)).toEqual(etaOfWaiting(asked));
    expect(etaOfWaiting({ ...work, free: 0 })).toBeNull();
  });
});

describe('the estimate of a running task', () => {
  test('never begins in the past, and is unknown once such tasks would have ended', () => {
    expect(etaOfRunning({ nowMs: 1_000, startMs: 995, own })).toEqual({ fromMs: 1_006, toMs: 1_024 });
    expect(etaOfRunning({ nowMs: 1_000, startMs: 980, own })?.fromMs).toBeGreaterThanOrEqual(1_000);
    expect(etaOfRunning({ nowMs: 1_000, startMs: 970, own })).toBeNull();
  });
});

test('durations need five samples, and have quartiles', () => {
  expect(durationsOf([1, 2, 3, 4])).toBeNull();
  expect(durationsOf([50, 10, 40, 20, 30])).toEqual([10, 20, 30, 40, 50]);
  expect(quartilesOf([10, 20, 30, 40, 50])).toEqual({ lowMs: 20, highMs: 40 });
});
