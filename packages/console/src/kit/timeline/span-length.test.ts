import { expect, it } from 'vitest';
import { spanLength } from './span-length.ts';

it('writes the length of a span with one space before its unit', () => {
  const plain = (ms: number) => spanLength(ms, 'en').replaceAll('\u00a0', ' ');
  expect([plain(461), plain(0), plain(1_420), plain(125_000)]).toEqual([
    '461 ms',
    '0 ms',
    '1.42 s',
    '2 m 5 s',
  ]);
  expect(spanLength(1_420, 'zh-CN')).toBe('1.42秒');
});
