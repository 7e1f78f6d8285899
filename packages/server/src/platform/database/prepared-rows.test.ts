import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open.ts';
import { PreparedRows } from './prepared-rows.ts';

interface Tables {
  notes: { id: number; text: string | null };
}

let database: Database<Tables>;
beforeEach(async () => {
  const opened = await openDatabase({ backend: 'memory' });
  database = opened.withTables<Tables>();
  await database.write(async (trx) => {
    await trx.schema.createTable('notes').addColumn('id', 'integer').addColumn('text', 'text').execute();
  });
});
afterEach(() => database.close());

const build = (db: Kysely<Tables>, rows: Tables['notes'][]) => db.insertInto('notes').values(rows);

it.each([0, 1, 2, 32, 33, 100])('inserts %i rows, each with its own values', async (count) => {
  const insert = new PreparedRows(['id', 'text'], build);
  const rows = Array.from({ length: count }, (_, id) => ({ id, text: id % 2 === 0 ? null : `text ${id}` }));
  await database.write((trx) => insert.run(trx, rows));
  expect(await database.read.selectFrom('notes').selectAll().orderBy('id').execute()).toEqual(rows);
});

it('builds a statement once for each number of rows', async () => {
  let built = 0;
  const insert = new PreparedRows(['id', 'text'], (db: Kysely<Tables>, rows: Tables['notes'][]) => {
    built += 1;
    return build(db, rows);
  });
  for (const count of [2, 3, 2, 3, 34]) {
    const rows = Array.from({ length: count }, (_, id) => ({ id, text: null }));
    await database.write((trx) => insert.run(trx, rows));
  }
  expect(built).toBe(3);
});
