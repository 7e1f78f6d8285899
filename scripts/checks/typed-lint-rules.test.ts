import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * The linter's rules that need types are young. This plants the bugs that they are kept for, in a copy of the workspace's
 * shape under the repository's own settings, so that an update of the linter which stops seeing them is noticed.
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

function lint(statement: string): string[] {
  write(
    planted,
    `import { Store } from '@switchyard/contract/store';\nexport const store = new Store();\nexport async function run(): Promise<void> {\n  ${statement}\n}\n`,
  );
  const { stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--reporter=json', planted],
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
