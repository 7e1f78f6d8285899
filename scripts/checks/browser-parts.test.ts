import { expect, test } from 'vitest';
import { findBrowserParts } from './browser-parts.ts';

test('what a page from another machine lacks is found in console and client alone', () => {
  const text =
    '// crypto.randomUUID is missing\nconst id = crypto.randomUUID();\nwindow.localStorage.clear();\n';
  const found = findBrowserParts('packages/console/src/lib/a.ts', text);
  expect(found.map(({ found: name, line }) => [name, line])).toEqual([
    ['randomUUID', 2],
    ['localStorage', 3],
  ]);
  expect(findBrowserParts('packages/client/src/random-id.ts', 'crypto.randomUUID()')).toEqual([]);
  expect(findBrowserParts('packages/cli/src/a.ts', text)).toEqual([]);
});
