import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { openCheckpointer } from './checkpointer.ts';
import { checkpointMigrations } from './migrations.ts';

it('is opened over a database that has its tables', async () => {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'checkpointer', checkpointMigrations);
  const checkpointer = await openCheckpointer(database);
  expect(await checkpointer.getTuple({ configurable: { thread_id: 't' } })).toBeUndefined();
  await database.close();
});

it('loads nothing of LangChain before that', () => {
  const names = [
    'checkpointer.ts',
    'migrations.ts',
    '../../platform/database/open.ts',
    '../../platform/database/migrate.ts',
  ];
  const { metafile } = buildSync({
    entryPoints: names.map((name) => fileURLToPath(new URL(name, import.meta.url))),
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'unwritten',
  });
  const { outputs } = metafile;
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: next } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') load(next);
    }
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (names.some((name) => entryPoint?.endsWith(`/${name.replaceAll('../', '')}`))) load(path);
  }
  expect([...loaded]).toContain('kysely');
  expect([...loaded].filter((path) => path.startsWith('@langchain/'))).toEqual([]);
});
