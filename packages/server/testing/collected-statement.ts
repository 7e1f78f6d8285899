/** Reads rows while garbage is collected, and prints what was read. Needs `--expose-gc`. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SqliteConnection } from '../src/platform/database/sqlite/sqlite-connection.ts';

const connection = new SqliteConnection(':memory:');
connection.run('create table notes (id)');
for (let id = 0; id < 20; id += 1) connection.run('insert into notes values (?)', [id]);
const read: unknown[] = [];
for (const [id] of connection.rows('select id from notes order by id')) {
  read.push(id);
  globalThis.gc?.();
  // What was collected is freed after the turn.
  await nextTurn();
}
connection.close();
process.stdout.write(JSON.stringify(read));
