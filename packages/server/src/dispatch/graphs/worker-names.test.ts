import { createSecretKey, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { fixedKeys } from '../../platform/keys.ts';
import type { Graph } from './graph.ts';
import { WorkerNames } from './worker-names.ts';

const names = new WorkerNames(fixedKeys(createSecretKey(Buffer.alloc(32, 1))));
const graph: Graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, text: 'filename_prefix' } },
  '2': {
    class_type: 'SaveImage',
    inputs: { images: ['1', 0], filename_prefix: 'a/%date:yyyy-MM%/x%width%' },
  },
  '3': { class_type: 'Save3D', inputs: { file_prefix: 'y', filename_prefix: ['1', 0] } },
};

test('the names of files that a node writes begin with a prefix that cannot be guessed, followed by the name that the user asked for', () => {
  const sent = names.of('run').putOn(graph);
  expect(sent['2']?.inputs.filename_prefix).toMatch(/^sy-[0-9a-f]{32}-a\/%date:yyyy-MM%\/x%width%$/);
  expect(sent['3']?.inputs.file_prefix).toMatch(/^sy-[0-9a-f]{32}-y$/);
});

test('the graph of the task, its other inputs and its links do not change', () => {
  const before = structuredClone(graph);
  const sent = names.of('run').putOn(graph);
  expect(graph).toEqual(before);
  expect(sent['1']).toBe(graph['1']);
  expect(sent['3']?.inputs.filename_prefix).toEqual(['1', 0]);
});

test('each attempt has its own prefix, the same after a restart and a different one under another secret', () => {
  const prefixOf = (all: WorkerNames, promptId: string) => {
    const { filename_prefix: value } = all.of(promptId).putOn(graph)['2']?.inputs ?? {};
    return String(value).slice(0, 36);
  };
  expect(prefixOf(names, 'a')).not.toBe(prefixOf(names, 'b'));
  expect(prefixOf(new WorkerNames(fixedKeys(createSecretKey(Buffer.alloc(32, 1)))), 'a')).toBe(
    prefixOf(names, 'a'),
  );
  expect(prefixOf(new WorkerNames(fixedKeys(createSecretKey(Buffer.alloc(32, 2)))), 'a')).not.toBe(
    prefixOf(names, 'a'),
  );
});

test('a prefix of a former secret is removed as well, and a new attempt has that of the new one', () => {
  const [old, current] = [1, 2].map((fill) => createSecretKey(Buffer.alloc(32, fill))) as [
    KeyObject,
    KeyObject,
  ];
  const rotated = new WorkerNames({ signing: () => current, accepted: () => [old, current] });
  for (const before of [names, new WorkerNames(fixedKeys(current))]) {
    const name = String(before.of('run').putOn(graph)['2']?.inputs.filename_prefix);
    expect(rotated.of('run').takeOff(name)).toBe('a/%date:yyyy-MM%/x%width%');
  }
  expect(rotated.of('run').putOn(graph)).toEqual(new WorkerNames(fixedKeys(current)).of('run').putOn(graph));
});

test('the prefix is removed wherever it stands', () => {
  const run = names.of('run');
  const name = String(run.putOn(graph)['3']?.inputs.file_prefix);
  expect(run.takeOff(`wrote out/${name}_00001_.png and ${name}_00002_.png`)).toBe(
    'wrote out/y_00001_.png and y_00002_.png',
  );
  expect(names.of('other').takeOff(name)).toBe(name);
});
