import { expect, it } from 'vitest';
import { usualTimeOf, usualTimes } from './usual-time.ts';

const times = [
  { node: '3', title: 'KSampler', seconds: 4 },
  { node: '7', title: 'KSampler', seconds: 9.5 },
  { node: '9', title: 'Save', seconds: 0.2 },
];

it('is the time of the node with the title', () => {
  expect(usualTimeOf(times, 'Save')).toEqual({ fromMs: 200, toMs: 200 });
});

it('is a range when several nodes have the title', () => {
  expect(usualTimeOf(times, 'KSampler')).toEqual({ fromMs: 4_000, toMs: 9_500 });
});

it('is not told when it would be written as zero seconds', () => {
  const short = [...times, { node: '1', title: 'Load', seconds: 0.04 }];
  expect(usualTimeOf(short, 'Load')).toBeNull();
  expect([...usualTimes(short).keys()]).toEqual(['3', '7', '9']);
});

it('is not known of other nodes', () => {
  expect([usualTimeOf(times, 'Load'), usualTimeOf(times, null), usualTimeOf([], 'Save')]).toEqual([
    null,
    null,
    null,
  ]);
});
