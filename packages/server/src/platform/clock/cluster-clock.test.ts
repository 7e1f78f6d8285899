import { expect, it } from 'vitest';
import { refuseOtherClock } from './cluster-clock.ts';

const databaseMs = 1_000_000;

it('accepts a clock that differs by up to five seconds', async () => {
  for (const offMs of [0, 5_000, -5_000])
    await refuseOtherClock(
      async () => databaseMs,
      () => databaseMs + offMs,
    );
});

it('refuses a clock that is further ahead or behind, and says by how much', async () => {
  await expect(
    refuseOtherClock(
      async () => databaseMs,
      () => databaseMs + 12_000,
    ),
  ).rejects.toThrow('The clock of this machine is 12 s ahead of the clock of the database');
  await expect(
    refuseOtherClock(
      async () => databaseMs,
      () => databaseMs - 7_200_000,
    ),
  ).rejects.toThrow('The clock of this machine is 7200 s behind the clock of the database');
});

it('does not count the time that the database takes to answer', async () => {
  let nowMs = databaseMs - 1_000;
  await refuseOtherClock(
    async () => {
      nowMs += 30_000;
      return databaseMs;
    },
    () => nowMs,
  );
});
