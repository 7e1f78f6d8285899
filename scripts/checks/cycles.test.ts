import { expect, it } from 'vitest';
import { findCycles } from './cycles.ts';
import { parseSource } from './source-file.ts';

const lib = 'packages/server/src/lib';

it('finds no cycle where imports only fan out and in', () => {
  const files = [
    parseSource(`${lib}/a.ts`, "import './b.ts';\nimport './c.ts';"),
    parseSource(`${lib}/b.ts`, "import './d.ts';"),
    parseSource(`${lib}/c.ts`, "import './d.ts';"),
    parseSource(`${lib}/d.ts`, ''),
  ];
  expect(findCycles(files)).toEqual([]);
});

it('names a planted cycle once, with its path and the line that enters it', () => {
  const files = [
    parseSource(`${lib}/a.ts`, "\nimport './b.ts';"),
    parseSource(`${lib}/b.ts`, "export * from './c.ts';"),
    parseSource(`${lib}/c.ts`, "import type { A } from './a.ts';"),
  ];
  expect(findCycles(files)).toEqual([
    expect.objectContaining({
      file: `${lib}/a.ts`,
      line: 2,
      found: `${lib}/a.ts → ${lib}/b.ts → ${lib}/c.ts → ${lib}/a.ts`,
    }),
  ]);
});

it('follows imports by package name', () => {
  const files = [
    parseSource('packages/client/src/call.ts', "import '@switchyard/contract/errors';"),
    parseSource('packages/contract/src/errors.ts', "import '@switchyard/client/call';"),
  ];
  expect(findCycles(files)).toHaveLength(1);
});

it('reports a file that imports itself', () => {
  expect(findCycles([parseSource(`${lib}/a.ts`, "import './a.ts';")])).toHaveLength(1);
});
