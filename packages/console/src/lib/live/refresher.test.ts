import { expect, test } from 'vitest';
import { Refresher } from './refresher.ts';

test('a query that takes long to read rests for longer', () => {
  const rests: number[] = [];
  const refresher = new Refresher(
    () => undefined,
    (_, ms) => {
      rests.push(ms);
      return () => undefined;
    },
  );
  refresher.want(['overview']);
  refresher.want(['workflows'], 5_000);
  expect(rests).toEqual([1_000, 5_000]);
});

test('a query is read at once, then once a second at most, and once more after the last frame', () => {
  const read: string[] = [];
  const timers: (() => void)[] = [];
  const refresher = new Refresher(
    ([name]) => read.push(String(name)),
    (action) => {
      timers.push(action);
      return () => undefined;
    },
  );
  const secondPasses = () => {
    for (const action of timers.splice(0)) action();
  };
  for (let count = 0; count < 50; count += 1) refresher.want(['overview']);
  refresher.want(['queue']);
  expect(read).toEqual(['overview', 'queue']);
  secondPasses();
  expect(read).toEqual(['overview', 'queue', 'overview']);
  secondPasses();
  secondPasses();
  expect(read).toHaveLength(3);
});
