import { describe, expect, test } from 'vitest';
import { etaOfRunning, etaOfWaiting } from './eta.ts';
import { quartilesOf } from './quartiles.ts';

const own = { lowMs: 10, highMs: 30 };
const work = { nowMs: 1_000, own, others: { lowMs: 100, highMs: 200 }, delayMs: 0 };

describe('the estimate of a waiting task', () => {
  test('is the time of its graph when an instance is free for it', () => {
    expect(etaOfWaiting({ ...work, ahead: 0, instances: 2, free: 1 })).toEqual({
      fromMs: 1_010,
      toMs: 1_030,
    });
  });

  test('adds what runs there when no instance is free', () => {
    expect(etaOfWaiting({ ...work, ahead: 0, instances: 2, free: 0 })).toEqual({
      fromMs: 1_010,
      toMs: 1_230,
    });
  });

  test('spreads the tasks ahead over the instances', () => {
    expect(etaOfWaiting({ ...work, ahead: 5, instances: 2, free: 0 })).toEqual({
      fromMs: 1_210,
      toMs: 1_830,
    });
  });

  test('takes the time of its own graph for the tasks ahead when nothing else is known', () => {
    const eta = etaOfWaiting({ ...work, others: null, ahead: 1, instances: 1, free: 0 });
    expect(eta).toEqual({ fromMs: 1_020, toMs: 1_090 });
  });

  test('begins when the task may be placed', () => {
    expect(etaOfWaiting({ ...work, delayMs: 500, ahead: 0, instances: 1, free: 1 })?.fromMs).toBe(1_510);
    expect(etaOfWaiting({ ...work, delayMs: -500, ahead: 0, instances: 1, free: 1 })?.fromMs).toBe(1_010);
  });

  test('is unknown without an instance', () => {
    expect(etaOfWaiting({ ...work, ahead: 0, instances: 0, free: 0 })).toBeNull();
  });
});

describe('the estimate of a running task', () => {
  test('never begins in the past, and is unknown once such tasks would have ended', () => {
    expect(etaOfRunning({ nowMs: 1_000, startMs: 995, own })).toEqual({ fromMs: 1_005, toMs: 1_025 });
    expect(etaOfRunning({ nowMs: 1_000, startMs: 980, own })).toEqual({ fromMs: 1_000, toMs: 1_010 });
    expect(etaOfRunning({ nowMs: 1_000, startMs: 970, own })).toBeNull();
  });
});

test('quartiles need five samples', () => {
  expect(quartilesOf([1, 2, 3, 4])).toBeNull();
  expect(quartilesOf([50, 10, 40, 20, 30])).toEqual({ lowMs: 20, highMs: 40 });
});
