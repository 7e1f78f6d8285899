import { expect, it } from 'vitest';
import { cutDiff, unifiedDiff } from './unified-diff.ts';

const path = '/mnt/user-data/outputs/a.txt';
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

it('shows three lines around each change, and joins changes that are near', () => {
  const before = lines(1, 30);
  const after = before.replace('\n5\n', '\nfive\n').replace('\n9\n', '\n').replace('\n25\n', '\n25\nnew\n');
  expect(unifiedDiff(path, before, after)).toEqual({
    text: [
      `--- a${path}`,
      `+++ b${path}`,
      '@@ -2,11 +2,10 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
      '-9',
      ' 10',
      ' 11',
      ' 12',
      '@@ -23,6 +22,7 @@',
      ' 23',
      ' 24',
      ' 25',
      '+new',
      ' 26',
      ' 27',
      ' 28',
      '',
    ].join('\n'),
    additions: 2,
    deletions: 2,
  });
});

it('has no other side for a file that was created or deleted', () => {
  expect(unifiedDiff(path, null, 'x\n').text).toBe(`--- /dev/null\n+++ b${path}\n@@ -0,0 +1 @@\n+x\n`);
  expect(unifiedDiff(path, 'x\n', null).text).toBe(`--- a${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`);
});

it('says when only the end of the last line differs', () => {
  expect(unifiedDiff(path, 'x', 'x\n')).toMatchObject({ additions: 1, deletions: 1 });
  expect(unifiedDiff(path, 'x', 'x\n').text).toContain('-x\n\\ No newline at end of file\n+x\n');
});

it('is cut behind a whole line', () => {
  expect(cutDiff('ä\nb\nc\n', 5)).toBe('ä\nb\n');
  expect(cutDiff('ä\nb\n', 4)).toBe('ä\n');
  expect(cutDiff('ä\n', 2)).toBe('');
  expect(cutDiff('ä\n', 3)).toBe('ä\n');
});
