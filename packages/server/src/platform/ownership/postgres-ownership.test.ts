import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { ownershipConformance } from '../../../testing/ownership-conformance.ts';
import type { OwnershipStorage } from '../../../testing/ownership-fleet.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import type { Lease } from './lease.ts';
import { ownershipMigrations } from './migrations.ts';
import { Ownership } from './ownership.ts';
import type { OwnershipTables } from './tables.ts';

const { title, isSkipped, createDatabase } = testPostgres('Postgres');

describe.skipIf(isSkipped)(title, () => {
  ownershipConformance('Postgres, a connection for each process', openStorage);

  test('a take-over waits for the end of a unit that has confirmed its lease', async () => {
    const storage = await openStorage();
    const [watching, locking] = [await storage.connect(), await storage.connect()];
    const [holder, contender] = [await newOwnership(storage), await newOwnership(storage)];
    const finished = newDeferred();
    const started = newDeferred<Lease>();
    const held = holder.ownership.hold('key', async (lease) => {
      started.resolve(lease);
      await finished.promise;
    });
    const lease = await started.promise;
    await letLapse(watching);

    // A unit may wait only for its own statements: here for a lock that the session of `locking` holds.
    await sql`select pg_advisory_lock(1)`.execute(locking.read);
    const unit = holder.database.write(async (trx) => {
      await lease.confirm(trx);
      await sql`select pg_advisory_xact_lock(1)`.execute(trx);
      await sql`create table made_by_the_unit ()`.execute(trx);
    });
    await untilWaiting(watching, 'advisory');
    const found: unknown[] = [];
    const takeOver = contender.ownership.tryHold('key', async () => {
      const asked = sql`select to_regclass('made_by_the_unit') is not null as is_there`;
      found.push(...(await asked.execute(contender.database.read)).rows);
    });
    await untilWaiting(watching, 'transactionid');
    await sql`select pg_advisory_unlock(1)`.execute(locking.read);
    await Promise.all([unit, takeOver]);
    expect(found).toEqual([{ is_there: true }]);
    finished.resolve();
    await held.catch(() => undefined);
    await storage.close();
  });

  test('the clock of the database counts in milliseconds since the epoch', async () => {
    const storage = await openStorage();
    const database = await storage.connect();
    const { ownership } = await newOwnership(storage);
    await ownership.tryHold('key', async ({ token }) => {
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database.read);
      expect(Math.abs(token - Number(rows[0]?.now))).toBeLessThan(60_000);
    });
    await storage.close();
  });
});

async function openStorage(): Promise<OwnershipStorage> {
  const url = await createDatabase();
  const opened: Database<unknown>[] = [];
  const connect = async (): Promise<Database<OwnershipTables>> => {
    const database = await openDatabase(patientPostgres(url, 1));
    opened.push(database);
    return database.withTables();
  };
  await migrate((await connect()).withTables(), 'ownership', ownershipMigrations);
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((database) => database.close()));
  };
  return { connect, close, contenders: 8 };
}

async function newOwnership(storage: OwnershipStorage) {
  const database = await storage.connect();
  return { database, ownership: new Ownership({ database }) };
}

async function letLapse(database: Database<OwnershipTables>): Promise<void> {
  await database.write((trx) => trx.updateTable('leases').set({ expiresAtMs: 1 }).execute());
}

/** Waits until a session of this database waits for such a lock. Other tests use the same server. */
async function untilWaiting(database: Database<OwnershipTables>, event: string): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = ${event}`;
  while ((await waiting.execute(database.read)).rows.length === 0);
}
