import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { expect, it } from 'vitest';
import { databaseNowMs } from './database-time.ts';
import { type DatabaseOptions, openDatabase } from './open.ts';

const postgres = testPostgres('Postgres');

async function saysTheTime(options: DatabaseOptions): Promise<void> {
  const database = await openDatabase(options);
  const before = Date.now();
  const [outside, inside] = [
    await databaseNowMs(database, database.read),
    await database.write((trx) => databaseNowMs(database, trx)),
  ];
  const after = Date.now();
  await database.close();
  for (const moment of [outside, inside]) {
    // Both round to a millisecond, each in its way.
    expect(moment).toBeGreaterThanOrEqual(before - 1);
    expect(moment).toBeLessThanOrEqual(after + 1);
  }
}

it('SQLite says what time it is, in a unit and outside of it', () => saysTheTime({ backend: 'memory' }));

it.skipIf(postgres.isSkipped)(
  `${postgres.title} says what time it is, in a unit and outside of it`,
  async () => saysTheTime(patientPostgres(await postgres.createDatabase(), 2)),
);
