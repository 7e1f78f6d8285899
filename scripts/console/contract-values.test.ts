import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getPoolOverview } from '@switchyard/contract/dispatch/overview';
import { expect, it } from 'vitest';
import { contractValues, moduleOf, readContract } from './contract-values.ts';

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

it('leaves files of shared functions as they are, and such a file imports nothing', async () => {
  const file = join(folder, 'dispatch/worker-address.ts');
  expect(await contractValues(folder).load(file)).toBeNull();
  expect(readFileSync(file, 'utf8')).not.toMatch(/^import /m);
});
