import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Rules of the house that the linter enforces, some of them young. This plants the bugs that they are kept for, in a copy of the
 * workspace's shape under the repository's own settings, so that an update of the linter which stops seeing them is noticed.
 */
const root = resolve(import.meta.dirname, '../..');
const contract = 'packages/contract/src/store.ts';
const planted = 'packages/server/src/planted.ts';
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'switchyard-lint-'));
  const settings = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  write('biome.json', JSON.stringify({ ...settings, $schema: undefined, vcs: { enabled: false } }));
  for (const name of ['contract', 'server']) {
    mkdirSync(join(copy, 'packages', name), { recursive: true });
    cpSync(join(root, 'packages', name, 'package.json'), join(copy, 'packages', name, 'package.json'));
  }
  mkdirSync(join(copy, 'node_modules/@switchyard'), { recursive: true });
  symlinkSync('../../packages/contract', join(copy, 'node_modules/@switchyard/contract'));
  write(
    contract,
    'export class Store { state: "open" | "closed" = "open"; async save(): Promise<boolean> { return true; } }\n',
  );
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const bugs = {
  'a promise that is not awaited': ['store.save();', 'noFloatingPromises'],
  'a promise asked whether it is true': ['if (store.save()) return;', 'noMisusedPromises'],
  'an async callback whose promise is dropped': [
    '[1].forEach(async () => { await store.save(); });',
    'noMisusedPromises',
  ],
  'an await on what is no promise': ['await 1;', 'useAwaitThenable'],
  'a switch that leaves a case out': [
    'switch (store.state) { case "open": await store.save(); break; }',
    'useExhaustiveSwitchCases',
  ],
} as const;

for (const [bug, [statement, rule]] of Object.entries(bugs)) {
  it(`sees ${bug}, from another package`, () => {
    expect(lint(statement)).toEqual([`lint/nursery/${rule}`]);
  });
}

it('accepts a promise that is awaited, caught or explicitly ignored', () => {
  expect(lint('await store.save(); void store.save(); store.save().catch(() => undefined);')).toEqual([]);
});

describe('a function of more than 100 lines', () => {
  const long = (lines: number) => `export function run(step: () => void) {\n${'step();\n'.repeat(lines)}}\n`;

  it.each(['packages/cli/src/run.ts', 'benchmarks/start.ts', 'scripts/docs.ts'])('is seen in %s', (path) => {
    expect(lintFile(path, long(101))).toEqual(['lint/complexity/noExcessiveLinesPerFunction']);
    expect(lintFile(path, long(98))).toEqual([]);
  });

  it.each([
    'packages/server/src/run.test.ts',
    'packages/server/src/accounts/migrations/001-accounts.ts',
    'packages/server/testing/suite.ts',
  ])('may stand in %s, which is a list', (path) => {
    expect(lintFile(path, long(120))).toEqual([]);
  });
});

describe('a circle of imports', () => {
  it('is seen, whether it needs values or types', () => {
    write('packages/server/src/a.ts', "import { b } from './b.ts';\nexport const a = b;\n");
    write('packages/server/src/b.ts', "import { c } from './c.ts';\nexport const b = c;\n");
    write('packages/server/src/c.ts', 'export const c = 1;\n');
    expect(lintFiles('packages/server/src')).toEqual([]);
    const back = "import type { a } from './a.ts';\nexport type A = typeof a;\nexport const c = 1;\n";
    write('packages/server/src/c.ts', back);
    expect(lintFiles('packages/server/src')).toEqual(Array(3).fill('lint/suspicious/noImportCycles'));
    for (const name of ['a', 'b', 'c']) rmSync(join(copy, `packages/server/src/${name}.ts`));
  });
});

describe('the environment', () => {
  const readings = {
    'process.env': 'export const home = process.env.HOME;',
    'a computed member': "export const home = globalThis.process['env'];",
    'the global object': 'export const home = globalThis.process.env.HOME;',
    destructuring: 'export const { env } = process;',
    'an import': "import { env } from 'node:process';\nexport const home = env.HOME;",
  };
  for (const [way, text] of Object.entries(readings)) {
    it(`is not read through ${way} outside config/env.ts`, () => {
      for (const path of ['packages/cli/src/read.ts', 'packages/server/src/lib/read.ts'])
        expect([path, lintFile(path, text).length > 0]).toEqual([path, true]);
      expect(lintFile('packages/server/src/config/env.ts', text)).toEqual([]);
      expect(lintFile('packages/server/src/lib/read.test.ts', text)).toEqual([]);
    });
  }
});

it('sees a signal that holds its sources weakly, in the server alone', () => {
  const text = 'export const signal = AbortSignal.any([]);\n';
  expect(lintFile('packages/server/src/lib/signal.ts', text)).toEqual([
    'lint/nursery/noJsRestrictedProperties',
  ]);
  expect(lintFile('packages/worker/src/signal.ts', text)).toEqual([]);
});

it.each([
  'export const id = crypto.randomUUID();',
  'export const { randomUUID } = globalThis.crypto;',
  'localStorage.clear();',
  'window.sessionStorage.clear();',
])('sees what a page from another machine lacks, in console and client alone: %s', (text) => {
  for (const path of ['packages/console/src/lib/a.ts', 'packages/client/src/a.ts'])
    expect([path, lintFile(path, text).length]).toEqual([path, 1]);
  expect(lintFile('packages/cli/src/a.ts', text)).toEqual([]);
  const homes = ['packages/client/src/random-id.ts', 'packages/console/src/lib/browser-storage.ts'];
  for (const path of homes) expect(lintFile(path, text)).toEqual([]);
});

/** Lints a function of the server that has a store of another package. */
function lint(statement: string): string[] {
  const file = `import { Store } from '@switchyard/contract/store';
export const store = new Store();
export async function run(): Promise<void> {
  ${statement}
}
`;
  return lintFile(planted, file);
}

/** Returns the rules that a file breaks in that place. */
function lintFile(path: string, text: string): string[] {
  write(path, text);
  const broken = lintFiles(path);
  rmSync(join(copy, path));
  return broken;
}

function lintFiles(path: string): string[] {
  const { stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--reporter=json', path],
    { cwd: copy, encoding: 'utf8' },
  );
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`The linter gave no report: ${stderr}`);
  const report = JSON.parse(line) as { diagnostics: { category: string; severity: string }[] };
  return report.diagnostics.filter(({ severity }) => severity === 'error').map(({ category }) => category);
}

function write(path: string, text: string): void {
  mkdirSync(join(copy, path, '..'), { recursive: true });
  writeFileSync(join(copy, path), text);
}
