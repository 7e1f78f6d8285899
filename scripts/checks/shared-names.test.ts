import { expect, it } from 'vitest';
import { findCommonNames } from './shared-names.ts';
import { parseSource } from './source-file.ts';

const exporting = (path: string, text: string) => ({ ...parseSource(path, text), text });
const folder = 'packages/server/src/lib';
const four = ['a', 'b', 'c', 'd'].map((name) => `${folder}/${name}.ts`);

it.each(['export function textOf() {}', 'export const textOf = () => 1;', 'export type textOf = string;'])(
  'finds a name that four files export by "%s"',
  (text) => {
    const findings = findCommonNames(four.map((path) => exporting(path, text)));
    expect(findings.map(({ file }) => file)).toEqual(four);
    expect(findings[0]?.found).toBe('textOf is exported by 4 files, and at most 3 are allowed');
    expect(findCommonNames(four.slice(1).map((path) => exporting(path, text)))).toEqual([]);
  },
);

it('leaves helpers of a file, values and tests alone', () => {
  for (const text of ['function textOf() {}', 'export const textOf = 1;'])
    expect(findCommonNames(four.map((path) => exporting(path, text)))).toEqual([]);
  const tests = four.map((path) => exporting(path.replace('.ts', '.test.ts'), 'export type Text = string;'));
  expect(findCommonNames(tests)).toEqual([]);
});
