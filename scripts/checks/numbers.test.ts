import { describe, expect, it } from 'vitest';
import { type CountedFile, countNumbers, findDuplicates, findReaders, findSharedNames } from './numbers.ts';
import { parseSource } from './source-file.ts';

const file = (path: string, text: string): CountedFile => ({ ...parseSource(path, text), text });
const src = 'packages/server/src';

describe('the numbers of the house', () => {
  it('are those of what runs', () => {
    const files = [
      file(
        `${src}/lib/cut.ts`,
        `import {
  size,
} from './size.ts';

interface CutOptions { at: number }
export type Cut = string;
export function cut(text: string) {
  return text.slice(0, size);
}
export const long = () => {
${Array.from({ length: 75 }, (_, index) => `  cut("${index}");\n`).join('')}};
`,
      ),
      file(`${src}/lib/size.ts`, 'export const size = 3;\n'),
      file(`${src}/lib/cut.test.ts`, "import { size } from './size.ts';\nexpect(() => size).toBe(3);\n"),
    ];
    const counted = Object.fromEntries(countNumbers(files).map(({ name, value }) => [name, value]));
    expect(counted).toEqual({
      'production lines': '87',
      files: '2',
      'files above 400 lines': '0',
      'files with one reader': '1 (50.00 %)',
      'lines that are imports': '3 (3.45 %)',
      types: '2',
      'types named …Options or …Props': '1',
      functions: '2',
      'lines of a function, median': '3',
      'lines of a function, p90': '3',
      'functions above 70 lines': '1 (50.00 %)',
      'repeated runs of 10 lines or more': '0',
      'exported names that stand more than three times': '0',
    });
  });

  it('see every reader once, from another package too', () => {
    const readers = findReaders([
      file(`${src}/lib/a.ts`, "import { b } from './b.ts';\nimport type { B } from './b.ts';\n"),
      file(`${src}/lib/b.ts`, ''),
      file('packages/contract/src/id.ts', ''),
      file('packages/cli/src/run.ts', "import { id } from '@switchyard/contract/id';\n"),
    ]);
    expect([...(readers.get(`${src}/lib/b.ts`) ?? [])]).toEqual([`${src}/lib/a.ts`]);
    expect([...(readers.get('packages/contract/src/id.ts') ?? [])]).toEqual(['packages/cli/src/run.ts']);
  });

  it('find the names that several files export', () => {
    const names = findSharedNames([
      file('a.ts', 'export function textOf(): void;\nexport function textOf(all?: string): void {}\n'),
      file('b.ts', '\nexport const textOf = () => "";\nexport const other = 1;\n'),
      file('c.ts', 'export const Place = {};\nexport type Place = string;\nfunction textOf() {}\n'),
      file('packages/server/src/accounts/migrations/001-first.ts', 'export function textOf() {}\n'),
    ]);
    expect(names).toEqual([
      {
        name: 'textOf',
        owners: [
          { path: 'a.ts', line: 1 },
          { path: 'b.ts', line: 2 },
        ],
      },
      { name: 'Place', owners: [{ path: 'c.ts', line: 2 }] },
    ]);
  });
});

describe('a repeated run of lines', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `step(${from + index});`).join('\n');

  it('is found where it stands again, as long as it is', () => {
    const files = [
      { path: 'a.ts', text: `start();\n${lines(1, 12)}\nend();\n` },
      { path: 'b.ts', text: `import './a.ts';\n\n// Again.\n  ${lines(1, 12)}\nother();\n` },
    ];
    expect(findDuplicates(files)).toEqual([
      {
        lines: 12,
        places: [
          ['a.ts', 2],
          ['b.ts', 4],
        ],
      },
    ]);
  });

  it('is none below ten lines, or where lines only resemble their neighbours', () => {
    expect(findDuplicates([{ path: 'a.ts', text: `${lines(1, 9)}\nend();\n${lines(1, 9)}\n` }])).toEqual([]);
    expect(findDuplicates([{ path: 'a.ts', text: 'step();\n'.repeat(15) }])).toEqual([]);
  });
});
