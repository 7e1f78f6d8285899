import { markLimits } from '@switchyard/contract/dispatch/file';
import { expect, it } from 'vitest';
import { filePartsOf } from './file-parts.ts';

it('names every file once, in order, and no more of them in a part than a request may', () => {
  const ids = Array.from({ length: markLimits.files * 2 + 1 }, (_, at) => `f${at}`);
  const parts = [...filePartsOf(ids)];
  expect(parts.map(({ length }) => length)).toEqual([markLimits.files, markLimits.files, 1]);
  expect(parts.flat()).toEqual(ids);
  expect([...filePartsOf([])]).toEqual([]);
});
