import { expect, test } from 'vitest';
import {
  canRun,
  judge,
  missingOn,
  type Offer,
  type Requirement,
  requirementKey,
  requirementOf,
} from './capability.ts';
import type { Graph } from './graph.ts';

const graph: Graph = {
  '1': { class_type: 'Loader', inputs: { ckpt: 'a.safetensors' } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0] } },
};
const anywhere = { pool: null, pinnedInstanceId: null };
const need = requirementOf(graph, anywhere);

function offer(
  instanceId: string,
  classes: string[] | null,
  checkpoints: string[] = [],
  tags: string[] = [],
): Offer {
  return {
    instanceId,
    tags,
    capabilities: classes && {
      nodeClasses: new Set(classes),
      models: new Map(checkpoints.length > 0 ? [['Loader.ckpt', new Set(checkpoints)]] : []),
    },
  };
}

const both = ['Loader', 'SaveImage'];

test('an instance with every class and model can run the task', () => {
  expect(canRun(offer('a', both, ['a.safetensors', 'b.safetensors']), need)).toBe(true);
});

test('an instance without a class or a model cannot run the task, and what it lacks is named', () => {
  expect(missingOn(offer('a', ['Loader']), need)).toEqual(['SaveImage']);
  expect(missingOn(offer('a', both, ['b.safetensors']), need)).toEqual(['Loader.ckpt = a.safetensors']);
  expect(canRun(offer('a', both, ['b.safetensors']), need)).toBe(false);
});

test('an instance that has not told yet what it can do gets no task', () => {
  expect(canRun(offer('a', null), need)).toBe(false);
});

test('a pin and a pool narrow the choice', () => {
  const pinned: Requirement = { ...need, pinnedInstanceId: 'b' };
  const pooled: Requirement = { ...need, pool: 'fast' };
  expect([canRun(offer('a', both), pinned), canRun(offer('b', both), pinned)]).toEqual([false, true]);
  expect([canRun(offer('a', both), pooled), canRun(offer('a', both, [], ['fast']), pooled)]).toEqual([
    false,
    true,
  ]);
});

test('says how many instances have each missing thing when none has everything', () => {
  const offers = [offer('a', ['Loader']), offer('b', ['SaveImage']), offer('c', ['Loader'])];
  expect(judge(need, offers)).toEqual({
    possible: false,
    instances: 3,
    missing: [
      { name: 'Loader', instancesWithIt: 2, instanceIds: ['a', 'c'] },
      { name: 'SaveImage', instancesWithIt: 1, instanceIds: ['b'] },
    ],
  });
});

test('refuses no task while a permitted instance has not told what it can do', () => {
  expect(judge(need, [offer('a', []), offer('b', null)])).toEqual({ possible: true });
  expect(judge(need, [])).toEqual({ possible: true });
  const pinned: Requirement = { ...need, pinnedInstanceId: 'gone' };
  expect(judge(pinned, [offer('a', [])])).toEqual({ possible: true });
});

test('one instance that can run the task is enough', () => {
  expect(judge(need, [offer('a', []), offer('b', both)])).toEqual({ possible: true });
});

test('equal needs have equal keys, different needs have different keys', () => {
  expect(requirementKey(requirementOf(structuredClone(graph), anywhere))).toBe(requirementKey(need));
  expect(requirementKey({ ...need, pool: 'x' })).not.toBe(requirementKey(need));
  expect(requirementKey({ ...need, pinnedInstanceId: 'x' })).not.toBe(requirementKey({ ...need, pool: 'x' }));
});
