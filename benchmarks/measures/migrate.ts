import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import pg from 'pg';
import { eventsPerThread, makeLargeHome, spent, threads } from '../large-home.ts';
import { measure } from '../measure.ts';

const maxMb = 250;
const minShare = 0.5;
/** The tables that hold nearly all rows. */
const tables = ['threads', 'run_events'] as const;
const rowsAtOnce = 500;
const rows = threads * (1 + eventsPerThread);

await measure(
  'migrate',
  `${threads} threads and ${threads * eventsPerThread} events between SQLite and Postgres`,
  async () => {
    const folder = temporaryFolder();
    const home = join(folder.path, 'home');
    const { file } = await makeLargeHome(home);
    const url = await (await startPostgres({ isDurable: true })).createDatabase();
    const there = await spent(['migrate', 'db', '--home', home, '--to', url]);
    const verified = await spent(
      [
        'migrate',
        'db',
        '--home',
        join(folder.path, 'other'),
        '--to',
        `sqlite:${folder.path}/verified`,
        '--verify',
      ],
      onPostgres(url),
    );
    const back = await spent(
      ['migrate', 'db', '--home', join(folder.path, 'other'), '--to', `sqlite:${folder.path}/back`],
      onPostgres(url),
    );
    const bareBack = await bareToSqlite(url, join(folder.path, 'back', 'switchyard.db'));
    const bareThere = await bareToPostgres(file, url);
    folder.remove();
    const share = (bareMs: number, tookMs: number): number => (100 * bareMs) / tookMs;
    const peakMb = Math.max(there.peakMb, back.peakMb, verified.peakMb);
    return {
      figures: [
        { name: 'SQLite to Postgres, rows a second', value: rows / (there.tookMs / 1_000), unit: '/s' },
        { name: 'bare loop, SQLite to Postgres', value: rows / (bareThere / 1_000), unit: '/s' },
        { name: 'Postgres to SQLite, rows a second', value: rows / (back.tookMs / 1_000), unit: '/s' },
        { name: 'bare loop, Postgres to SQLite', value: rows / (bareBack / 1_000), unit: '/s' },
        { name: 'Postgres to SQLite with --verify', value: rows / (verified.tookMs / 1_000), unit: '/s' },
        { name: 'largest memory', value: peakMb, unit: 'MB' },
      ],
      bars: [
        {
          promise: `SQLite to Postgres: at least ${100 * minShare} % of a bare copy loop`,
          isMet: share(bareThere, there.tookMs) >= 100 * minShare,
        },
        {
          promise: `Postgres to SQLite: at least ${100 * minShare} % of a bare copy loop`,
          isMet: share(bareBack, back.tookMs) >= 100 * minShare,
        },
        { promise: `at most ${maxMb} MB`, isMet: peakMb <= maxMb },
      ],
      notes: [
        'The bare loop copies the two large tables into the same tables with their indexes, 500 rows at a time in one transaction, and hashes nothing. The command has its start, all tables and the final sync in its time.',
      ],
    };
  },
);

function onPostgres(url: string): Record<string, string> {
  return { SWITCHYARD__DATABASE__BACKEND: 'postgres', SWITCHYARD__DATABASE__URL: url };
}

async function bareToPostgres(file: string, url: string): Promise<number> {
  const source = new SqliteConnection(file, { readOnly: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const table of tables) await client.query(`truncate ${table}`);
  const started = performance.now();
  await client.query('begin');
  for (const table of tables) {
    const columns = columnsOf(source, table);
    const types = new Map(
      (
        await client.query(
          'select column_name as name, udt_name as type from information_schema.columns where table_name = $1',
          [table],
        )
      ).rows.map(({ name, type }) => [name, type]),
    );
    const text = `insert into ${table} (${columns}) select * from unnest(${columns.map((name, index) => `$${index + 1}::${types.get(name)}[]`)})`;
    let lists: unknown[][] = columns.map(() => []);
    const send = async (): Promise<void> => {
      await client.query({ text, values: lists });
      lists = columns.map(() => []);
    };
    for (const row of source.rows(`select ${columns} from ${table}`)) {
      for (const [index, value] of row.entries()) lists[index]?.push(value);
      if (lists[0]?.length === rowsAtOnce) await send();
    }
    await send();
  }
  await client.query('commit');
  const tookMs = performance.now() - started;
  await client.end();
  source.close();
  return tookMs;
}

async function bareToSqlite(url: string, file: string): Promise<number> {
  const target = new SqliteConnection(file);
  target.run('pragma journal_mode = memory');
  target.run('pragma synchronous = off');
  for (const table of tables) target.run(`delete from ${table}`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const started = performance.now();
  await client.query('begin');
  target.run('begin');
  for (const table of tables) {
    const columns = columnsOf(target, table);
    const insert = `insert into ${table} (${columns}) values (${columns.map(() => '?')})`;
    await client.query(`declare c cursor for select ${columns} from ${table}`);
    for (;;) {
      const { rows: some } = await client.query({ text: `fetch ${rowsAtOnce} from c`, rowMode: 'array' });
      if (some.length === 0) break;
      for (const row of some) target.run(insert, row);
    }
    await client.query('close c');
  }
  target.run('commit');
  const tookMs = performance.now() - started;
  await client.end();
  target.close();
  rmSync(file);
  return tookMs;
}

function columnsOf(connection: SqliteConnection, table: string): string[] {
  const { rows: found } = connection.run(`select name from pragma_table_info('${table}')`);
  return (found as { name: string }[]).map(({ name }) => name);
}
