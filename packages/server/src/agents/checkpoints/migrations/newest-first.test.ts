import { expect, it } from 'vitest';
import { newestFirst } from './newest-first.ts';

const outline = (id: string, parentId: string | null, namespace = '') => ({ namespace, id, parentId });

const ordered = (...outlines: ReturnType<typeof outline>[]): string[] =>
  newestFirst(outlines).map(({ namespace, id }) => namespace + id);

it('keeps the order of ids where each one is higher than its parent, with branches', () => {
  expect(ordered(outline('5', '2'), outline('4', '3'), outline('3', '2'), outline('2', null))).toEqual([
    '5',
    '4',
    '3',
    '2',
  ]);
});

it('puts what follows a checkpoint before it, although its id is lower', () => {
  const jumped = outline('9', '2');
  expect(ordered(jumped, outline('4', '3'), outline('3', '9'), outline('2', null))).toEqual([
    '4',
    '3',
    '9',
    '2',
  ]);
});

it('looks for what follows within a namespace', () => {
  expect(ordered(outline('2', null), outline('1', '2', 'inner'))).toEqual(['2', 'inner1']);
});

it('accepts a parent that is gone, and one that leads back', () => {
  expect(ordered(outline('3', '2'), outline('1', '0'))).toEqual(['3', '1']);
  expect(ordered(outline('2', '1'), outline('1', '2')).sort()).toEqual(['1', '2']);
});
