import { expect, it } from 'vitest';
import { usualTimeOf } from './usual-time.ts';

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

it('is not known of other nodes', () => {
  expect([usualTimeOf(times, 'Load'), usualTimeOf(times, null), usualTimeOf([], 'Save')]).toEqual([
    null,
    null,
    null,
  ]);
});
