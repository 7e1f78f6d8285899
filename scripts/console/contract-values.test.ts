import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getPoolOverview } from '@switchyard/contract/dispatch/overview';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { listFiles } from '../checks/tree.ts';
import { contractValues, moduleOf, readContract, sharedFiles } from './contract-values.ts';

const folder = resolve(import.meta.dirname, '../../packages/contract/src');

/** Runs a module that has no imports and returns what it exports. */
function run(source: string): Promise<Record<string, unknown>> {
  return import(`data:text/javascript,${encodeURIComponent(source)}`);
}

it('keeps of an endpoint what the client sends and compares', async () => {
  const modules = await readContract(folder);
  const overview = await run(moduleOf(modules.get(join(folder, 'dispatch/overview.ts')) ?? {}));
  const { method, url } = getPoolOverview;
  const data = { type: 'object', required: expect.arrayContaining(['counts', 'instances']) };
  expect(overview.getPoolOverview).toEqual({
    method,
    url,
    schema: {
      response: {
        200: {
          type: 'object',
          required: ['code', 'data'],
          properties: { code: { type: 'number', const: 200 }, data },
        },
      },
    },
  });
});

it('keeps words and limits, and leaves schemas and functions out', async () => {
  const modules = await readContract(folder);
  const tasks = await run(moduleOf(modules.get(join(folder, 'dispatch/task.ts')) ?? {}));
  expect(tasks).toHaveProperty('taskStatuses');
  expect(tasks).not.toHaveProperty('task');
  const envelope = await run(moduleOf(modules.get(join(folder, 'envelope.ts')) ?? {}));
  expect(Object.keys(envelope)).toEqual([]);
});

it.each(sharedFiles)('leaves %s with its functions as it is, and it imports nothing', async (shared) => {
  const file = join(folder, shared);
  expect(await contractValues(folder).load(file)).toBeNull();
  expect(readFileSync(file, 'utf8')).not.toMatch(/^import /m);
});

it('gives the page every name of the contract that the console and the client import', async () => {
  const modules = await readContract(folder);
  const missing = listFiles(process.cwd())
    .filter((path) => /^packages\/(console|client)\/src\/.+\.tsx?$/.test(path) && !path.includes('.test.'))
    .flatMap((path) => importedFromContract(path))
    .filter(({ file, name }) => {
      const given = moduleOf(modules.get(join(folder, file)) ?? {});
      return !sharedFiles.includes(file) && !given.includes(`export const ${name} =`);
    });
  expect(missing).toEqual([]);
});

/** The values, as against the types, that a file imports from the contract. */
function importedFromContract(path: string): { path: string; file: string; name: string }[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  return module.staticImports.flatMap(({ moduleRequest, entries }) => {
    const [, inside] = /^@switchyard\/contract\/(.+)$/.exec(moduleRequest.value) ?? [];
    if (inside === undefined) return [];
    const values = entries.filter(({ isType }) => !isType);
    return values.map(({ importName }) => ({ path, file: `${inside}.ts`, name: importName.name ?? '' }));
  });
}
