import { expect, it } from 'vitest';
import { capabilityMatrix, matrixCsv } from './matrix.ts';

const instance = (
  id: string,
  nodeClasses: string[],
  models: Record<string, string[]> = {},
  known = true,
) => ({
  id,
  capabilities: { known, nodeClasses, models, updatedAt: null },
});
const a = instance('a', ['Load', 'Save', 'Upscale'], { 'Loader.name': ['x.safetensors', 'y.safetensors'] });
const b = instance('b', ['Load', 'Save'], { 'Loader.name': ['x.safetensors'] });
const fresh = instance('c', [], {}, false);

it('shows only what differs', () => {
  expect(capabilityMatrix([a, b], true)).toEqual([
    { kind: 'node', name: 'Upscale', place: '', has: [true, false] },
    { kind: 'model', name: 'y.safetensors', place: 'Loader.name', has: [true, false] },
  ]);
});

it('shows everything when asked', () => {
  expect(capabilityMatrix([a, b], false).map(({ name }) => name)).toEqual([
    'Load',
    'Save',
    'Upscale',
    'x.safetensors',
    'y.safetensors',
  ]);
});

it('tells an instance of which nothing is known from one that lacks something', () => {
  expect(capabilityMatrix([a, fresh], true)).toEqual([]);
  expect(capabilityMatrix([a, b, fresh], true)[0]?.has).toEqual([true, false, null]);
});

it('writes a table in which no cell is taken for a formula', () => {
  const rows = [{ kind: 'node' as const, name: '=cmd("x")', place: '', has: [true, false, null] }];
  expect(matrixCsv(rows, ['a', 'b', 'c'])).toBe(
    '"kind","name","place","a","b","c"\r\n"node","\'=cmd(""x"")","","1","0",""',
  );
});
