import type { Instance, InstanceState } from '@switchyard/contract/dispatch/instance';
import { expect, it } from 'vitest';
import { inOrderOfAttention, memoryOf } from './instance-state.ts';

const device = (total: number | null, free: number | null) => ({
  name: 'GPU',
  memoryTotalBytes: total,
  memoryFreeBytes: free,
});
const instance = (id: string, state: InstanceState) => ({ id, serverName: id, state }) as Instance;

it('adds up the memory of all devices', () => {
  expect(memoryOf({ devices: [device(100, 25), device(100, 75)] })).toEqual({
    usedBytes: 100,
    totalBytes: 200,
    percent: 50,
  });
});

it('says nothing about memory that the worker does not tell', () => {
  expect(memoryOf({ devices: [] })).toBeNull();
  expect(memoryOf({ devices: [device(null, 5), device(10, null), device(0, 0)] })).toBeNull();
});

it('puts instances first that need attention, and those that are off last', () => {
  const instances = [
    instance('d', 'off'),
    instance('c', 'idle'),
    instance('b', 'busy'),
    instance('a', 'unreachable'),
  ];
  expect(inOrderOfAttention(instances).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});
