/** Another process that writes to the same file, as `switchyard reset-admin` does beside a running gateway. */
import { openDatabase } from '../src/platform/database/open.ts';

const { file, rows }: { file: string; rows: number } = JSON.parse(process.argv[2] ?? '');

const database = (await openDatabase({ backend: 'sqlite', file })).withTables<{ notes: { id: string } }>();
for (let row = 0; row < rows; row += 1) {
  await database.write((trx) =>
    trx
      .insertInto('notes')
      .values({ id: `${process.pid}-${row}` })
      .execute(),
  );
}
await database.close();
process.send?.(rows);
