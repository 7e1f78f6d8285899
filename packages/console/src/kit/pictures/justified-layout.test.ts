import { expect, it } from 'vitest';
import { heightOf, justifiedRows, pictureBeside, rowsWithin } from './justified-layout.ts';

const options = { width: 1000, rowHeight: 200, gap: 8 };

it('fills the width of every row but the last', () => {
  const rows = justifiedRows([1, 1.5, 0.7, 2, 1, 1, 1.8, 0.5, 1], options);
  for (const { pictures } of rows.slice(0, -1)) {
    const last = pictures.at(-1);
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBeCloseTo(1000);
  }
  expect(rows.flatMap(({ pictures }) => pictures.map(({ index }) => index))).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8,
  ]);
});

it('keeps the usual height in a row that is not full', () => {
  expect(justifiedRows([1], options)).toEqual([
    { top: 0, height: 200, pictures: [{ index: 0, left: 0, top: 0, width: 200, height: 200 }] },
  ]);
});

it('leaves every full row where it is when pictures come behind it', () => {
  const before = justifiedRows([1, 1, 1, 1, 1, 1, 1], options);
  const after = justifiedRows([1, 1, 1, 1, 1, 1, 1, 2, 2], options);
  expect(after[0]).toEqual(before[0]);
});

it('cuts a panorama and a tall strip instead of giving them a row or nothing', () => {
  const [row] = justifiedRows([40, 0.01], { ...options, width: 5000, rowHeight: 100 });
  expect(row?.pictures.map(({ width }) => Math.round(width))).toEqual([350, 40]);
});

it('has no rows before the width is known, and for no pictures', () => {
  expect(justifiedRows([1, 1], { ...options, width: 0 })).toEqual([]);
  expect(justifiedRows([], options)).toEqual([]);
  expect(heightOf([])).toBe(0);
});

it('finds the rows of a stretch among thousands', () => {
  const rows = justifiedRows(Array<number>(10_000).fill(1), { width: 208, rowHeight: 100, gap: 8 });
  const within = rowsWithin(rows, 10_000, 10_300);
  expect(within.every(({ top, height }) => top + height >= 10_000 && top <= 10_300)).toBe(true);
  expect(within.length).toBeLessThan(6);
  expect(rowsWithin(rows, heightOf(rows) + 1, heightOf(rows) + 100)).toEqual([]);
});

it('leads the arrow keys to the neighbour, and up and down to what is nearest', () => {
  const rows = justifiedRows([2, 2, 1, 1, 1, 1, 1], { width: 400, rowHeight: 100, gap: 0 });
  expect(pictureBeside(rows, 0, 'ArrowLeft')).toBe(0);
  expect(pictureBeside(rows, 0, 'ArrowRight')).toBe(1);
  expect(pictureBeside(rows, 1, 'ArrowDown')).toBe(4);
  expect(pictureBeside(rows, 5, 'ArrowUp')).toBe(1);
  expect(pictureBeside(rows, 6, 'ArrowRight')).toBe(6);
  expect(pictureBeside(rows, 6, 'ArrowDown')).toBe(6);
});
