import { describe, expect, it } from 'vitest';
import { findUnreachable } from './reachable.ts';
import { parseSource } from './source-file.ts';

const main = parseSource('packages/cli/src/main.ts', "import { run } from '@switchyard/server/main';");
const server = parseSource(
  'packages/server/src/main.ts',
  "export const load = () => import('./lib/ids.ts');",
);
const ids = parseSource('packages/server/src/lib/ids.ts', '');

/** Returns the paths that no entry point reaches. */
function unreached(...texts: [path: string, text: string][]): string[] {
  const planted = texts.map(([path, text]) => parseSource(path, text));
  return findUnreachable([main, server, ids, ...planted]).map(({ file }) => file);
}

describe('files that no entry point reaches', () => {
  it('are found, also when a test or the fixture of tests imports them', () => {
    const path = 'packages/server/src/lib/manual-clock.ts';
    expect(
      unreached(
        [path, ''],
        ['packages/server/src/lib/ids.test.ts', "import './manual-clock.ts';"],
        ['packages/dev-env/src/gateway.ts', "import '@switchyard/server/lib/manual-clock';"],
      ),
    ).toEqual([path]);
  });

  it('are none when each is imported on the way, by whatever kind of import', () => {
    expect(unreached()).toEqual([]);
  });

  it('are no tests, and nothing in testing', () => {
    expect(
      unreached(['packages/server/src/lib/ids.test.ts', ''], ['packages/server/testing/double.ts', '']),
    ).toEqual([]);
  });
});
