import { describe, expect, test } from 'vitest';
import { chooseInstance, FairShare, type FreeInstance, warmth } from './scheduling.ts';

function free(id: string, overrides: Partial<FreeInstance> = {}): FreeInstance {
  return {
    id,
    kind: 'comfyui',
    lastFingerprint: null,
    weight: 1,
    freeMemoryBytes: null,
    idleSinceMs: 0,
    ...overrides,
  };
}

const choose = (...instances: FreeInstance[]) => chooseInstance({ fingerprint: 'g.m' }, instances)?.id;

describe('chooseInstance', () => {
  test('prefers the instance that ran the same graph, then one with the same models, then a cold one', () => {
    const cold = free('cold', { freeMemoryBytes: 99 });
    const models = free('models', { lastFingerprint: 'other.m' });
    const graph = free('graph', { lastFingerprint: 'g.m' });
    expect(choose(cold, models, graph)).toBe('graph');
    expect(choose(cold, models)).toBe('models');
  });

  test('gives the reference worker only tasks that no other free instance can take', () => {
    const reference = free('reference', { kind: 'reference', lastFingerprint: 'g.m', freeMemoryBytes: 99 });
    expect(choose(reference, free('real'))).toBe('real');
    expect(choose(reference)).toBe('reference');
  });

  test('prefers the heavier, then the one with more free memory, then the one that was idle longest', () => {
    expect(choose(free('a'), free('heavy', { weight: 2 }))).toBe('heavy');
    expect(choose(free('a'), free('roomy', { freeMemoryBytes: 8 }))).toBe('roomy');
    expect(choose(free('a', { idleSinceMs: 5 }), free('rested', { idleSinceMs: 1 }))).toBe('rested');
  });

  test('is null without a candidate', () => {
    expect(choose()).toBeUndefined();
  });
});

test('a worker is warm for the same graph or the same models only', () => {
  expect(warmth('g.m', 'g.m')).toBe(2);
  expect(warmth('h.m', 'g.m')).toBe(1);
  expect(warmth('h.n', 'g.m')).toBe(0);
  expect(warmth('h.', 'g.')).toBe(0);
  expect(warmth(null, 'g.m')).toBe(0);
});

describe('FairShare', () => {
  test('an owner who could not be served has at most a minute of credit', () => {
    const share = new FairShare();
    share.arrive('stuck');
    share.arrive('busy');
    for (let index = 0; index < 500; index++) share.start('busy');
    expect(share.virtualTime('busy') - share.virtualTime('stuck')).toBeLessThanOrEqual(61);
  });

  test('forgets owners who have no waiting task and owe nothing', () => {
    const share = new FairShare();
    for (let index = 0; index < 100; index++) {
      share.arrive(`o${index}`);
      share.start(`o${index}`);
    }
    share.charge('debtor', 1_000);
    share.start('latecomer');
    share.start('latecomer');
    share.start('latecomer');
    share.forgetIdle(() => false);
    expect(share.knownOwners).toBeLessThan(10);
    expect(share.virtualTime('debtor')).toBeGreaterThanOrEqual(1_000);
  });
});
