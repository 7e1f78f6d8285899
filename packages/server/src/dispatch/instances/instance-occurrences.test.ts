import { textOf } from '@switchyard/contract/sentences/sentences';
import { describe, expect, it } from 'vitest';
import { changeOfCapabilities, changesOfLive, changesOfUse } from './instance-occurrences.ts';
import { type LiveInstance, unknownInstance } from './instance-state.ts';

const alive: LiveInstance = { ...unknownInstance, alive: true, isProbed: true, version: '0.3.64' };
const dead: LiveInstance = { ...unknownInstance, isProbed: true, lastError: 'It refused the connection.' };
const kinds = (before: LiveInstance, now: LiveInstance) => changesOfLive(before, now).map(({ kind }) => kind);

describe('what happened to an instance', () => {
  it.each([
    ['up', unknownInstance, alive],
    ['up', dead, alive],
    ['down', alive, dead],
    ['down', unknownInstance, dead],
    ['suspect', alive, { ...alive, suspicion: 'It hangs.' }],
    ['trusted', { ...alive, suspicion: 'It hangs.' }, alive],
  ])('is "%s" when it was not so before', (kind, before, now) => {
    expect(kinds(before, now)).toEqual([kind]);
  });

  it('is nothing while its state does not change, or before its first probe', () => {
    expect(kinds(alive, { ...alive, queueRemaining: 3, currentTaskId: 't' })).toEqual([]);
    expect(kinds(dead, { ...dead, lastError: 'It timed out.' })).toEqual([]);
    expect(kinds(alive, unknownInstance)).toEqual([]);
  });

  it('says why it went down', () => {
    expect(changesOfLive(alive, dead)[0]?.message).toBe('It refused the connection.');
  });

  it.each([
    ['draining', { enabled: 1, removed: 0 }, { enabled: 0, removed: 0 }],
    ['enabled', { enabled: 0, removed: 0 }, { enabled: 1, removed: 0 }],
    ['draining', { enabled: 1, removed: 0 }, { enabled: 1, removed: 1 }],
  ])('is "%s" when its use changed', (kind, before, now) => {
    expect(changesOfUse(before, now).map((change) => change.kind)).toEqual([kind]);
    expect(changesOfUse(now, now)).toEqual([]);
  });
});

describe('what an instance can run', () => {
  const offer = { nodeClasses: ['A', 'B'], models: { 'L.ckpt': ['one.safetensors'] } };

  it('is counted the first time', () => {
    expect(textOf(changeOfCapabilities(null, offer)?.message ?? '')).toBe(
      'It has 2 node classes and 1 model files.',
    );
  });

  it('is named when it has changed, the first five of each kind', () => {
    const now = {
      nodeClasses: ['B', 'C'],
      models: { 'L.ckpt': ['one.safetensors', ...'123456'.split('').map((n) => `${n}.safetensors`)] },
    };
    expect(textOf(changeOfCapabilities(offer, now)?.message ?? '')).toBe(
      'New nodes: C. Nodes gone: A. New models: 1.safetensors, 2.safetensors, 3.safetensors, 4.safetensors, 5.safetensors, +1.',
    );
  });

  it('is not reported while it stays the same', () => {
    expect(changeOfCapabilities(offer, { ...offer, nodeClasses: ['B', 'A'] })).toBe(null);
  });
});
