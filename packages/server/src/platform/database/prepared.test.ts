import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open.ts';
import { Prepared } from './prepared.ts';

interface Tables {
  notes: { id: number; text: string | null };
}
type Note = Tables['notes'];

let database: Database<Tables>;
beforeEach(async () => {
  const opened = await openDatabase({ backend: 'memory' });
  database = opened.withTables<Tables>();
  await database.write(async (trx) => {
    await trx.schema.createTable('notes').addColumn('id', 'integer').addColumn('text', 'text').execute();
  });
});
afterEach(() => database.close());

const stored = () => database.read.selectFrom('notes').selectAll().orderBy('id').execute();

it('writes a row that is given whole, each time with its own values', async () => {
  let built = 0;
  const insert = new Prepared((db: Kysely<Tables>, row: Note) => {
    built += 1;
    return db.insertInto('notes').values(row);
  });
  const rows = [
    { id: 1, text: null },
    { id: 2, text: 'two' },
    { id: 3, text: null },
  ];
  for (const row of rows) await database.write((trx) => insert.run(trx, row));
  expect(await stored()).toEqual(rows);
  expect(built).toBe(1);
});

it('writes the rest of the values whole beside those that it names', async () => {
  const change = new Prepared((db: Kysely<Tables>, { id, ...columns }: Note) =>
    db.updateTable('notes').set(columns).where('id', '=', id),
  );
  await database.write((trx) =>
    trx
      .insertInto('notes')
      .values([
        { id: 1, text: 'one' },
        { id: 2, text: 'two' },
      ])
      .execute(),
  );
  await database.write((trx) => change.run(trx, { id: 2, text: null }));
  await database.write((trx) => change.run(trx, { id: 1, text: 'once' }));
  expect(await stored()).toEqual([
    { id: 1, text: 'once' },
    { id: 2, text: null },
  ]);
});
