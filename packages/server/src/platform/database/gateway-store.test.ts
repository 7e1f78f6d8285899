import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { expect, it } from 'vitest';
import type { Database } from './database.ts';
import { databaseIdentity } from './gateway-store.ts';
import { openDatabase } from './open.ts';

const postgres = testPostgres('a Postgres database');

async function sameForAll(open: () => Promise<Database<unknown>>): Promise<string[]> {
  const database = await open();
  const ids = await Promise.all(Array.from({ length: 5 }, () => databaseIdentity(database)));
  await database.close();
  return [...new Set(ids)];
}

it('a database keeps one name, and another database has another', async () => {
  const names = [
    ...(await sameForAll(() => openDatabase({ backend: 'memory' }))),
    ...(await sameForAll(() => openDatabase({ backend: 'memory' }))),
  ];
  expect(new Set(names).size).toBe(2);
  expect(names).toHaveLength(2);
});

it.skipIf(postgres.isSkipped)(`${postgres.title} keeps one name for all that ask at once`, async () => {
  const url = await postgres.createDatabase();
  const first = await sameForAll(() => openDatabase(patientPostgres(url, 5)));
  expect(first).toHaveLength(1);
  expect(await sameForAll(() => openDatabase(patientPostgres(url, 5)))).toEqual(first);
});
