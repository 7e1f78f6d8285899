import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { areRunsEqual, paramsOfRun, seedsOf } from './run-params.ts';

const seed: WorkflowParameter = {
  name: 'seed',
  label: 'seed',
  description: null,
  type: 'integer',
  required: false,
  default: 5,
  minimum: 0,
  maximum: null,
  choices: null,
  multiline: false,
  hidden: false,
  pinned: false,
  sets: [{ node: '1', title: 'Sampler', input: 'seed' }],
  placeholder: null,
};
const draft = (mode: 'fixed' | 'random' | 'increment') => ({ values: { seed: '5' }, seeds: { seed: mode } });

it('gives each run its seed and remembers the last one', () => {
  const last: Record<string, number> = {};
  const seeds = seedsOf([seed], draft('increment'));
  const runs = [0, 1, 2].map((index) => paramsOfRun({ prompt: 'a kite' }, seeds, { index, last }));
  expect(runs.map(({ seed: given }) => given)).toEqual([5, 6, 7]);
  expect(runs[0]).toEqual({ prompt: 'a kite', seed: 5 });
  expect(last).toEqual({ seed: 7 });
});

it('leaves a fixed seed to the form', () => {
  expect(paramsOfRun({}, seedsOf([seed], draft('fixed')), { index: 3, last: {} })).toEqual({});
});

it('knows when several runs would make the same', () => {
  expect(areRunsEqual(seedsOf([seed], draft('fixed')), 4)).toBe(true);
  expect(areRunsEqual(seedsOf([seed], draft('random')), 4)).toBe(false);
  expect(areRunsEqual(seedsOf([seed], draft('fixed')), 1)).toBe(false);
  expect(areRunsEqual([], 4)).toBe(true);
});
