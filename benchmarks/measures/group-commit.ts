import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { Database } from '@switchyard/server/platform/database/database';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { fsyncMsP50 } from '../disk.ts';
import { measure } from '../measure.ts';
import { median } from '../statistics.ts';

const callers = 16;
/** Store and baseline take turns, so that a slow moment of the machine affects both. */
const rounds = 7;
const roundMs = 1_000;
const payload = 'x'.repeat(200);
let lastId = 10 ** 15;
/** Below this the disk only pretends to sync, and sharing a commit cannot win anything. */
const meaningfulFsyncMs = 0.1;

interface Tables {
  bench: { id: string; payload: string };
}

await measure('group-commit', `Durable single-row writes under ${callers} concurrent callers`, async () => {
  const folder = temporaryFolder();
  const opened = await openDatabase({ backend: 'sqlite', file: join(folder.path, 'store.db') });
  const database = opened.withTables<Tables>();
  await createTable(database);
  const connection = openAlone(join(folder.path, 'alone.db'));

  const stored: number[] = [];
  const alone: number[] = [];
  const fsyncs: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  // Both warm up for one round.
  aloneRate(connection);
  await storeRate(database);
  for (let round = 0; round < rounds; round++) {
    fsyncs.push(fsyncMsP50(folder.path));
    alone.push(aloneRate(connection));
    delay.enable();
    stored.push(await storeRate(database));
    delay.disable();
  }
  connection.close();
  await opened.close();
  folder.remove();

  const ratio = median(stored) / median(alone);
  const fsyncMs = median(fsyncs);
  const loopDelayMs = delay.percentile(99) / 1e6;
  return {
    figures: [
      {
        name: `writes through the store, ${callers} callers (median of ${rounds})`,
        value: median(stored),
        unit: '/s',
      },
      { name: 'baseline: prepared insert, one transaction each (median)', value: median(alone), unit: '/s' },
      { name: 'ratio', value: ratio, unit: '×' },
      { name: 'event loop delay meanwhile (p99)', value: loopDelayMs, unit: 'ms' },
      { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
    ],
    bars: [
      { promise: '≥ 5 × the rate of one transaction per write at synchronous=FULL', isMet: ratio >= 5 },
      {
        promise: 'event loop p99 delay ≤ 20 ms, and 2 × fsync for the disk',
        isMet: loopDelayMs <= 20 + 2 * fsyncMs,
      },
    ],
    notes:
      fsyncMs < meaningfulFsyncMs
        ? [
            `fsync takes less than ${meaningfulFsyncMs} ms here: this disk does not sync, so the ratio means nothing.`,
          ]
        : [],
  };
});

/** The ideal of a single writer: no query builder, no queue, the same settings of the same library. */
function openAlone(file: string): SqliteConnection {
  const connection = new SqliteConnection(file);
  connection.useWriteAheadLog();
  connection.run('create table bench (id text primary key, payload text not null)');
  return connection;
}

function aloneRate(connection: SqliteConnection): number {
  const started = performance.now();
  let count = 0;
  for (; performance.now() - started < roundMs; count++) {
    connection.run('begin immediate');
    connection.run('insert into bench (id, payload) values (?, ?)', [nextId(), payload]);
    connection.run('commit');
  }
  return perSecond(count, started);
}

async function createTable(database: Database<Tables>): Promise<void> {
  await database.write((trx) =>
    trx.schema
      .createTable('bench')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('payload', 'text', (column) => column.notNull())
      .execute(),
  );
}

async function storeRate(database: Database<Tables>): Promise<number> {
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: callers }, () => writeUntil(database, started + roundMs)),
  );
  const count = counts.reduce((sum, each) => sum + each, 0);
  return perSecond(count, started);
}

async function writeUntil(database: Database<Tables>, end: number): Promise<number> {
  let count = 0;
  for (; performance.now() < end; count++) {
    const row = { id: nextId(), payload };
    await database.write((trx) => trx.insertInto('bench').values(row).execute());
  }
  return count;
}

/** Ascending ids, like those of the gateway, so that neither side pays for random places in the index. */
function nextId(): string {
  lastId += 1;
  return String(lastId);
}

function perSecond(count: number, started: number): number {
  return (count / (performance.now() - started)) * 1_000;
}
