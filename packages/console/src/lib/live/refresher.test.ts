import { expect, test } from 'vitest';
import { Refresher } from './refresher.ts';

/** A refresher whose timers all end when the test says so. */
function set() {
  const read: string[] = [];
  let timers: { action: () => void; ms: number }[] = [];
  const refresher = new Refresher(
    ([name]) => read.push(String(name)),
    (action, ms) => {
      timers.push({ action, ms });
      return () => undefined;
    },
  );
  const pass = () => {
    const due = timers;
    timers = [];
    for (const { action } of due) action();
  };
  return { refresher, read, pass, waits: () => timers.map(({ ms }) => ms) };
}

test('a query that takes long to read rests for longer', () => {
  const { refresher, pass, waits } = set();
  refresher.want(['overview']);
  refresher.want(['workflows'], 5_000);
  pass();
  expect(waits()).toEqual([1_000, 5_000]);
});

test('a query is read a moment after a frame, since its answer may be behind the frame', () => {
  const { refresher, read, pass, waits } = set();
  refresher.want(['overview']);
  expect(read).toEqual([]);
  expect(waits()).toEqual([150]);
  pass();
  expect(read).toEqual(['overview']);
});

test('however many frames come, a query is read once a second at most, and once more after the last frame', () => {
  const { refresher, read, pass } = set();
  for (let count = 0; count < 50; count += 1) refresher.want(['overview']);
  refresher.want(['queue']);
  pass();
  expect(read).toEqual(['overview', 'queue']);
  for (let count = 0; count < 50; count += 1) refresher.want(['overview']);
  pass();
  expect(read).toEqual(['overview', 'queue', 'overview']);
  pass();
  pass();
  expect(read).toHaveLength(3);
});
