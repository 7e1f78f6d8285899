import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

it.each([0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1_000])('hashes %i characters as others do', (length) => {
  const text = 'aé漢😀'.repeat(length).slice(0, length).toWellFormed();
  expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});
