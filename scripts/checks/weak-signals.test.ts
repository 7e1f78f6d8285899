import { expect, test } from 'vitest';
import { findWeakSignals } from './weak-signals.ts';

test('AbortSignal.any is found in the server, and in its comments and elsewhere it is not', () => {
  const text = '// AbortSignal.any holds weakly\nconst both = AbortSignal.any([one, other]);\n';
  const found = findWeakSignals('packages/server/src/lib/a.ts', text);
  expect(found.map(({ rule, line }) => [rule, line])).toEqual([['no-weak-signals', 2]]);
  expect(findWeakSignals('packages/server/src/lib/a.ts', text.split('\n')[0] ?? '')).toEqual([]);
  expect(findWeakSignals('packages/worker/src/a.ts', text)).toEqual([]);
});
