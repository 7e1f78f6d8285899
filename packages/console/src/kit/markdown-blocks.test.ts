import { expect, test } from 'vitest';
import { cutText, markdownBlocks } from './markdown-blocks.ts';

test('a text is split at blank lines, so that only its last block is read again while it grows', () => {
  expect(markdownBlocks('One.\n\nTwo\nlines.\n\n## Three')).toEqual(['One.\n', 'Two\nlines.\n', '## Three']);
});

test('a block of code and a list stay whole over their blank lines', () => {
  const code = '```ts\na\n\nb\n```';
  expect(markdownBlocks(code)).toEqual([code]);
  const open = '````\n```\n\nstill code';
  expect(markdownBlocks(open)).toEqual([open]);
  const list = '1. one\n\n   more\n\n2. two';
  expect(markdownBlocks(list)).toEqual([list]);
});

test('a text with definitions is not split, because they count everywhere in it', () => {
  const text = 'See [it][1].\n\n[1]: https://example.com';
  expect(markdownBlocks(text)).toEqual([text]);
});

test('a text of a megabyte is cut at a line', () => {
  const text = `${'word '.repeat(20)}\n`.repeat(10_000);
  const { shown, isCut } = cutText(text);
  expect(isCut).toBe(true);
  expect(shown.length).toBeLessThanOrEqual(50_000);
  expect(shown.endsWith('word ')).toBe(true);
  expect(cutText('short')).toEqual({ shown: 'short', isCut: false });
});
