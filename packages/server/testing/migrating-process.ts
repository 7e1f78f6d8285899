/** One of many processes that start at once on the same database. It reports which migrations it applied. */
import type { Kysely } from 'kysely';
import { migrate } from '../src/platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../src/platform/database/open.ts';

const options: DatabaseOptions = JSON.parse(process.argv[2] ?? '');

const migrations = ['001-one', '002-two', '003-three'].map((name) => ({
  name,
  up: (db: Kysely<never>) =>
    db.schema
      .createTable(`made_by_${name.slice(4)}`)
      .addColumn('id', 'text')
      .execute(),
}));

const database = await openDatabase(options);
const applied = [
  ...(await migrate(database, 'first', migrations)),
  ...(await migrate(database, 'second', [])),
];
await database.close();
process.send?.(applied);
