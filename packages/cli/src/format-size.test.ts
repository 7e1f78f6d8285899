import { expect, it } from 'vitest';
import { formatSize } from './format-size.ts';

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [454_610, '455 kB'],
  [999_999, '1 MB'],
  [200_000_000, '200 MB'],
  [5e15, '5000 TB'],
])('%d bytes are shown as %s', (sizeBytes, shown) => {
  expect(formatSize(sizeBytes)).toBe(shown);
});
