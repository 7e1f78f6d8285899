import { expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { dayMs, hourMs } from '../../lib/time-units.ts';
import { DatabaseClock } from './database-clock.ts';

const databaseMs = Date.UTC(2030, 0, 1);

/** A process whose steady clock began at zero, beside a database. */
async function openClock({ ownAheadMs = 0 } = {}) {
  const steady = new ManualTime(0);
  const said: string[] = [];
  const machine = { ownAheadMs, databaseAheadMs: 0, isAway: false, answersAfterMs: 0 };
  const clock = await DatabaseClock.open({
    ask: async () => {
      if (machine.isAway) throw new Error('the database is away');
      const atMs = databaseMs + steady.now() + machine.databaseAheadMs;
      await Promise.resolve();
      steady.jump(machine.answersAfterMs);
      return atMs;
    },
    log: { info: (_, text) => said.push(text), warn: (_, text) => said.push(text) },
    timer: steady.timer,
    steadyClock: steady.now,
    ownClock: () => databaseMs + steady.now() + machine.ownAheadMs,
  });
  return { clock, steady, machine, said };
}

/** Lets the questions that are on their way be answered. */
const answers = () => new Promise((resolve) => setImmediate(resolve));

it("says what the clock of the database says, whatever this machine's clock says", async () => {
  const { clock, steady, machine } = await openClock({ ownAheadMs: -3_000 });
  expect(clock.now()).toBe(databaseMs);
  for (const ownAheadMs of [3 * dayMs, -2 * hourMs]) {
    machine.ownAheadMs = ownAheadMs;
    const beforeMs = clock.now();
    steady.advance(25_000);
    await answers();
    expect(clock.now()).toBe(beforeMs + 25_000);
  }
});

it('follows the clock of the database when that one is set', async () => {
  const { clock, steady, machine } = await openClock();
  machine.databaseAheadMs = hourMs;
  steady.advance(10_000);
  await answers();
  expect(clock.now()).toBe(databaseMs + hourMs + 10_000);
});

it('goes on while the database is away, and asks again', async () => {
  const { clock, steady, machine } = await openClock();
  machine.isAway = true;
  steady.advance(10_000);
  await answers();
  expect(clock.now()).toBe(databaseMs + 10_000);
  machine.isAway = false;
  machine.databaseAheadMs = 2_000;
  steady.advance(10_000);
  await answers();
  expect(clock.now()).toBe(databaseMs + 22_000);
});

it('is not moved by a database that answers late', async () => {
  const { clock, steady, machine } = await openClock();
  machine.answersAfterMs = 8_000;
  steady.advance(10_000);
  await answers();
  expect(clock.now()).toBe(databaseMs + 18_000);
});

it("says once that this machine's clock is wrong, and once that it is right again", async () => {
  const { steady, machine, said } = await openClock();
  for (const ownAheadMs of [3 * dayMs, 3 * dayMs, 0, 0]) {
    machine.ownAheadMs = ownAheadMs;
    steady.advance(10_000);
    await answers();
  }
  expect(said).toEqual([
    'The clock of this machine is 259200 s ahead of the clock of the database; set it, for example with NTP',
    'The clock of this machine is right again',
  ]);
});

it('asks no more once it is closed', async () => {
  const { clock, steady } = await openClock();
  clock.close();
  expect(steady.nextTimerMs).toBeNull();
});
