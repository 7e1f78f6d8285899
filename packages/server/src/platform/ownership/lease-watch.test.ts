import { expect, test } from 'vitest';
import type { SeenLease } from './lease-store.ts';
import { LeaseWatch } from './lease-watch.ts';

const life = { lifeMs: 15_000, renewEveryMs: 5_000 };

function held(remainingMs: number, expiresAtMs = 100_000): SeenLease {
  return { token: 7, expiresAtMs, isFree: false, remainingMs };
}

test('a free lease is taken at once', () => {
  const watch = new LeaseWatch(life);
  expect(watch.waitBeforeTaking(null, 0)).toBe(0);
  expect(watch.waitBeforeTaking({ ...held(9_000), isFree: true }, 0)).toBe(0);
});

test('a held lease is checked again when it would expire', () => {
  expect(new LeaseWatch(life).waitBeforeTaking(held(9_000), 0)).toBe(9_000);
});

test('a lease that did not change until it expired is taken', () => {
  const watch = new LeaseWatch(life);
  watch.waitBeforeTaking(held(9_000), 0);
  expect(watch.waitBeforeTaking(held(0), 9_000)).toBe(0);
});

test('a lease that was already expired when first seen is taken only after its holder had the time for a renewal', () => {
  const watch = new LeaseWatch(life);
  expect(watch.waitBeforeTaking(held(-3_600_000), 0)).toBe(7_500);
  expect(watch.waitBeforeTaking(held(-3_600_000), 7_500)).toBe(0);
});

test('a holder that renews keeps its lease, however far the clock of the database has jumped ahead', () => {
  const watch = new LeaseWatch(life);
  for (let renewal = 0; renewal < 100; renewal += 1) {
    const waitMs = watch.waitBeforeTaking(held(-259_200_000, renewal), renewal * 5_000);
    expect(waitMs).toBeGreaterThan(0);
  }
});

test('a dead holder loses its lease after two lifetimes, although the clock of the database went back by two hours', () => {
  const watch = new LeaseWatch(life);
  expect(watch.waitBeforeTaking(held(7_215_000), 0)).toBe(30_000);
  expect(watch.waitBeforeTaking(held(7_185_000), 30_000)).toBe(0);
});

test('a new owner restarts the watch', () => {
  const watch = new LeaseWatch(life);
  watch.waitBeforeTaking(held(9_000), 0);
  expect(watch.waitBeforeTaking({ ...held(-1), token: 8 }, 9_000)).toBe(7_500);
});
