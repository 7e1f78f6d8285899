import { join } from 'node:path';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseConformance } from '../../../../testing/database-conformance.ts';
import { FreezableProxy } from '../../../../testing/freezable-proxy.ts';
import { newDeferred } from '../../../lib/async/deferred.ts';
import type { Database } from '../database.ts';
import { openDatabase } from '../open.ts';
import type { PostgresLimits } from './postgres-connections.ts';

const { title, isSkipped, createDatabase } = testPostgres('Postgres');
const unavailable = { code: 'database_unavailable', status: 503 };

describe.skipIf(isSkipped)(title, () => {
  databaseConformance('as any database', async (meter) =>
    openDatabase(patientPostgres(await createDatabase(), 4), meter),
  );

  describe('that has prepared its statements', () => {
    let database: Database<unknown>;
    let address: string;
    beforeEach(async () => {
      address = await createDatabase();
      database = await openDatabase(patientPostgres(address, 1));
      await database.write((trx) => sql`create table notes as select 1 as id`.execute(trx));
    });
    afterEach(() => database.close());

    const read = async (): Promise<unknown[]> =>
      (await sql`select * from notes where id < ${9}`.execute(database.read)).rows;
    const write = (): Promise<unknown> =>
      database.write(async (trx) => {
        await sql`insert into notes (id) values (${2})`.execute(trx);
        return (await sql`select * from notes where id = ${2}`.execute(trx)).rows;
      });
    const addColumn = async (name: string): Promise<void> => {
      const newer = await openDatabase(patientPostgres(address, 1));
      await newer.write((trx) => sql`alter table notes add column ${sql.ref(name)} text`.execute(trx));
      await newer.close();
    };
    const prepared = async (): Promise<unknown> =>
      (await sql`select count(*) as count from pg_prepared_statements`.execute(database.read)).rows[0];

    it('plans each of them once for a connection', async () => {
      for (let time = 0; time < 3; time += 1) await read();
      expect(await prepared()).toEqual({ count: 1 });
    });

    it('goes on when a newer replica adds a column, and does a unit once', async () => {
      await read();
      await write();
      await addColumn('title');
      expect(await read()).toEqual([
        { id: 1, title: null },
        { id: 2, title: null },
      ]);
      await write();
      await addColumn('author');
      expect(await write()).toHaveLength(3);
    });

    it('goes on when a pooler has given its connection to another program', async () => {
      await read();
      await database.write((trx) => sql`deallocate all`.execute(trx));
      expect(await read()).toHaveLength(1);
    });
  });

  describe('that fails', () => {
    // Long enough for every response that will come.
    const quick: Partial<PostgresLimits> = { connectMs: 2_000, statementMs: 1_000, answerMs: 2_000 };
    let proxy: FreezableProxy;
    let address: URL;
    let database: Database<unknown>;
    let idleErrors: Error[];

    beforeAll(async () => {
      address = new URL(await createDatabase());
    });
    beforeEach(async () => {
      proxy = await FreezableProxy.start(join(address.searchParams.get('host') ?? '', '.s.PGSQL.5432'));
      idleErrors = [];
      database = await openDatabase({
        backend: 'postgres',
        url: proxied(),
        poolSize: 2,
        limits: quick,
        onIdleError: (error) => idleErrors.push(error),
      });
    });
    afterEach(async () => {
      proxy.thaw();
      await database.close();
      await proxy.close();
    });

    /** Through the proxy. */
    const proxied = (): string => `postgres://switchyard@127.0.0.1:${proxy.port}${address.pathname}`;
    const ask = (): Promise<unknown> => sql`select 1 as one`.execute(database.read);
    const write = (): Promise<unknown> => database.write((trx) => sql`select 1 as one`.execute(trx));

    it('reports that it falls silent before the first connection', async () => {
      proxy.freeze();
      await expect(ask()).rejects.toMatchObject(unavailable);
      await expect(write()).rejects.toMatchObject(unavailable);
    });

    it('reports that it falls silent during work, and never reuses a connection with a missing answer', async () => {
      await Promise.all([ask(), write()]);
      proxy.freeze();
      const outcomes = await Promise.allSettled([ask(), write(), ask()]);
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
      proxy.thaw();
      await expect(Promise.all([ask(), write(), ask()])).resolves.toHaveLength(3);
    });

    it('does not keep the caller of a ping waiting beyond the deadline', async () => {
      await database.ping(60_000);
      proxy.freeze();
      await expect(database.ping(20)).rejects.toThrow('The database did not answer within 20 ms.');
    });

    it('reports that no server listens', async () => {
      await proxy.close();
      await expect(ask()).rejects.toMatchObject(unavailable);
      await expect(database.exclusive(async () => undefined)).rejects.toMatchObject(unavailable);
      proxy = await FreezableProxy.start('/nowhere');
    });

    it('ends a statement that takes too long', async () => {
      const slow = sql`select pg_sleep(10)`.execute(database.read);
      await expect(slow).rejects.toMatchObject(unavailable);
      await expect(ask()).resolves.toBeDefined();
    });

    it('survives the end of its connections, in use or idle', async () => {
      const suicide = database.write((trx) =>
        sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx),
      );
      await expect(suicide).rejects.toMatchObject(unavailable);
      await Promise.all([ask(), ask()]);
      const others = sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
      await others.execute(database.read);
      await expect.poll(() => idleErrors).toHaveLength(1);
      await expect(Promise.all([ask(), write()])).resolves.toHaveLength(2);
    });

    it('frees the rows of a process that stands still in a unit before another one gives up waiting for them', async () => {
      const frozen = await openDatabase({ backend: 'postgres', url: proxied(), poolSize: 1 });
      const other = await openDatabase({ backend: 'postgres', url: address.href, poolSize: 1 });
      try {
        await other.write((trx) => sql`create table wanted as select 1 as id`.execute(trx));
        const locked = newDeferred();
        const standing = frozen.write(async (trx) => {
          await sql`select * from wanted for update`.execute(trx);
          proxy.freeze();
          locked.resolve();
          await sql`select 1 as one`.execute(trx);
        });
        standing.catch(() => undefined);
        await locked.promise;
        await expect(other.write((trx) => sql`update wanted set id = 2`.execute(trx))).resolves.toMatchObject(
          { numAffectedRows: 1n },
        );
        await expect(standing).rejects.toMatchObject(unavailable);
      } finally {
        proxy.thaw();
        await Promise.all([frozen.close(), other.close()]);
      }
    });

    it('waits once for the statements that a unit asks for together, and not for the begin before a read', async () => {
      await database.write((trx) => sql`create table counted (id int)`.execute(trx));
      const before = proxy.exchanges;
      await database.write(async (trx) => {
        const insert = (id: number): Promise<unknown> => sql`insert into counted values (${id})`.execute(trx);
        await sql`select ${1}::int as one`.execute(trx);
        await Promise.all([insert(1), insert(2), insert(3)]);
      });
      // Begin and read, inserts, commit.
      expect(proxy.exchanges - before).toBe(3);
    });

    it('waits for nothing but the statement of a unit that is one', async () => {
      await database.write((trx) => sql`create table single as select 1 as id`.execute(trx));
      const before = proxy.exchanges;
      const statement = { compile: () => sql`update single set id = 2 returning id`.compile(database.read) };
      expect((await database.writeOne(() => statement)).rows).toEqual([{ id: 2 }]);
      expect(proxy.exchanges - before).toBe(1);
    });

    it('rolls a unit back when the connection is lost in the middle of it', async () => {
      await database.write((trx) => sql`create table kept (id text)`.execute(trx));
      const cut = database.write(async (trx) => {
        await sql`insert into kept values ('lost')`.execute(trx);
        proxy.freeze();
        await sql`insert into kept values ('lost too')`.execute(trx);
      });
      await expect(cut).rejects.toMatchObject(unavailable);
      proxy.thaw();
      expect((await sql`select * from kept`.execute(database.read)).rows).toEqual([]);
    });
  });
});
