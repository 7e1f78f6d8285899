import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { PreviewParts, partsOf } from './preview-parts.ts';

const preview = (bytes: Uint8Array) => ({ node: 'Sampler', mediaType: 'image/jpeg', bytes });

test('a preview that is longer than a message is put together again', () => {
  const bytes = randomBytes(100_000);
  const parts = partsOf('t', 'ada', preview(bytes));
  expect(parts.length).toBeGreaterThan(1);
  const together = new PreviewParts();
  const made = parts.map((part) => together.add(part));
  expect(made.slice(0, -1).every((each) => each === null)).toBe(true);
  expect(made.at(-1)).toEqual(preview(bytes));
});

test('a preview of which a part was lost is dropped, and the next one is whole', () => {
  const together = new PreviewParts();
  const [first, , third] = partsOf('t', 'ada', preview(randomBytes(90_000)));
  if (!first || !third) throw new Error('Three parts are needed.');
  expect([together.add(first), together.add(third)]).toEqual([null, null]);
  const next = randomBytes(10);
  expect(partsOf('t', 'ada', preview(next)).map((part) => together.add(part))).toEqual([preview(next)]);
});

test('a preview of more than a megabyte stays in its replica', () => {
  expect(partsOf('t', 'ada', preview(new Uint8Array(1024 * 1024 + 1)))).toEqual([]);
});
