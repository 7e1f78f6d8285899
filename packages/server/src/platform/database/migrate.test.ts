import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runManyProcesses } from '@switchyard/dev-env/many-processes';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { describe, expect, it } from 'vitest';
import type { DatabaseOptions } from './open.ts';

const count = 10;
const program = fileURLToPath(new URL('../../../testing/migrating-process.ts', import.meta.url));

async function expectOneToDoAll(options: DatabaseOptions): Promise<void> {
  const outcomes = await runManyProcesses<string[]>(program, { count, options });
  expect(outcomes).toHaveLength(count);
  expect(outcomes.filter((applied) => applied.length > 0)).toEqual([['001-one', '002-two', '003-three']]);
}

describe('when ten processes start at once, one migrates and the others find it done', () => {
  it('on a SQLite file', async () => {
    const folder = temporaryFolder();
    await expectOneToDoAll({ backend: 'sqlite', file: join(folder.path, 'new', 'one.db') });
    folder.remove();
  });

  const postgres = testPostgres('on a Postgres database');
  it.skipIf(postgres.isSkipped)(postgres.title, async () => {
    await expectOneToDoAll(patientPostgres(await postgres.createDatabase(), 2));
  });
});
