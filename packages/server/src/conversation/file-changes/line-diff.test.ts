import { expect, it } from 'vitest';
import { type ChangedBlock, changedBlocks } from './line-diff.ts';

function applied(before: readonly string[], after: readonly string[], blocks: readonly ChangedBlock[]) {
  const made: string[] = [];
  let at = 0;
  for (const block of blocks) {
    made.push(...before.slice(at, block.before.start), ...after.slice(block.after.start, block.after.end));
    at = block.before.end;
  }
  return [...made, ...before.slice(at)];
}

it('names the few lines that differ', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(changedBlocks(before, ['a', 'c', 'd', 'x', 'f', 'g'])).toEqual([
    { before: { start: 1, end: 2 }, after: { start: 1, end: 1 } },
    { before: { start: 4, end: 5 }, after: { start: 3, end: 4 } },
    { before: { start: 6, end: 6 }, after: { start: 5, end: 6 } },
  ]);
  expect(changedBlocks(before, before)).toEqual([]);
  expect(changedBlocks([], ['a'])).toEqual([{ before: { start: 0, end: 0 }, after: { start: 0, end: 1 } }]);
});

it('leads from any text to any other, through their common lines', () => {
  const seed = 20_261_123;
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
  const lines = () => Array.from({ length: next(40) }, () => String(next(6)));
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [lines(), lines()];
    const blocks = changedBlocks(before, after);
    expect(applied(before, after, blocks), `seed ${seed}, round ${round}`).toEqual(after);
    const changed = blocks.reduce((sum, each) => sum + each.before.end - each.before.start, 0);
    expect(before.length - changed, `seed ${seed}, round ${round}`).toBe(commonLength(before, after));
  }
});

/** The length of the longest common sequence, by the table that everyone knows. */
function commonLength(before: readonly string[], after: readonly string[]): number {
  let above = after.map(() => 0);
  for (const line of before) {
    const row: number[] = [];
    for (const [index, other] of after.entries()) {
      const diagonal = index === 0 ? 0 : (above[index - 1] ?? 0);
      row.push(line === other ? diagonal + 1 : Math.max(above[index] ?? 0, row[index - 1] ?? 0));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}

it('replaces the whole between the first and the last change when there are too many changes or lines', () => {
  const numbered = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name}${i}`);
  const many = changedBlocks(['a', ...numbered(600, 'x'), 'z'], ['a', ...numbered(600, 'y'), 'z']);
  expect(many).toEqual([{ before: { start: 1, end: 601 }, after: { start: 1, end: 601 } }]);
  const long = ['1', ...numbered(20_000, 'same'), '2'];
  expect(changedBlocks(long, ['x', ...long.slice(1, -1), 'y'])).toHaveLength(1);
});
