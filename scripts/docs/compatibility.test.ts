import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/reference/compatibility.md`, 'utf8');

const tests = [...page.matchAll(/^(\d+)\. `([^`]+)`: (.+)$/gm)].map(([, number, file = '', name = '']) => ({
  number: Number(number),
  file,
  name,
}));
const cells = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| Function'))
  .flatMap((line) => line.split('|').slice(2, -1))
  .map((cell) => cell.trim());

describe('the matrix of compatibility', () => {
  it('has a state and at least one test in each cell that is not a dash', () => {
    expect(cells.length).toBeGreaterThan(50);
    for (const cell of cells.filter((each) => each !== '–'))
      expect(cell).toMatch(/^(works|works with a note|not there) \d+(, \d+)*$/);
  });

  it('names each test of its list, and no other', () => {
    const named = new Set(cells.flatMap((cell) => cell.match(/\d+/g) ?? []).map(Number));
    expect([...named].sort((a, b) => a - b)).toEqual(tests.map(({ number }) => number));
  });

  it.each(tests)('names a test that exists: $name', ({ file, name }) => {
    expect(readFileSync(root + file, 'utf8')).toContain(name);
  });
});
