import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { Cooldowns, cooldownKeys } from './cooldowns.ts';

function newCooldowns() {
  const time = new ManualTime();
  return { time, cooldowns: new Cooldowns(time.now, 2_000) };
}

test('a cooldown lasts twice as long each time, and at most half a minute', () => {
  const { cooldowns } = newCooldowns();
  const lengths = Array.from({ length: 7 }, () => cooldowns.start('a'));
  expect(lengths).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('a cooldown ends on time, and concerns only what failed', () => {
  const { time, cooldowns } = newCooldowns();
  cooldowns.start('a');
  expect([cooldowns.isCooling('a'), cooldowns.isCooling('b')]).toEqual([true, false]);
  time.advance(2_000);
  expect(cooldowns.isCooling('a')).toBe(false);
});

test('a success clears all failures at what the task needed, and the next cooldown is as short as the first', () => {
  const { cooldowns } = newCooldowns();
  const need = (...nodeClasses: string[]) => ({
    nodeClasses,
    models: [],
    pool: null,
    pinnedInstanceId: null,
  });
  const [keys, others] = [cooldownKeys('ann', need('A')), cooldownKeys('ann', need('B'))];
  for (const key of [keys.everyone, keys.owner, keys.owner, others.owner]) cooldowns.start(key);
  cooldowns.clear(need('A'));
  expect([keys.everyone, keys.owner, others.owner].map((key) => cooldowns.isCooling(key))).toEqual([
    false,
    false,
    true,
  ]);
  expect(cooldowns.start(keys.owner)).toBe(2_000);
});

test('failures fade with time: half of them each minute', () => {
  const { time, cooldowns } = newCooldowns();
  for (const _ of [1, 2, 3, 4]) cooldowns.start('a');
  time.advance(16_000 + 60_000);
  expect(cooldowns.start('a')).toBe(8_000);
  time.advance(8_000 + 3 * 60_000);
  expect(cooldowns.start('a')).toBe(2_000);
});
