import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../lib/app-error.ts';
import { noMeter } from '../database.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import type { WriterLimits } from './writer.ts';

interface Tables {
  notes: { id: string; parent: string | null };
}

/** Records the calls of the writer to the connection, in order, and fails on demand. */
class WatchedConnection extends SqliteConnection {
  readonly statements: string[] = [];
  failing: string | undefined;

  override run(statement: string, parameters?: readonly unknown[]): ReturnType<SqliteConnection['run']> {
    this.statements.push(statement);
    if (statement === this.failing) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
    return super.run(statement, parameters);
  }

  count(statement: string): number {
    return this.statements.filter((other) => other === statement).length;
  }
}

let connection: WatchedConnection;
let database: SqliteDatabase;
/** The codes of the failures that the writer has told its meter. */
let failures: unknown[];

function open(limits?: Partial<WriterLimits>): void {
  connection = new WatchedConnection(':memory:');
  connection.run(`create table notes (
    id text primary key,
    parent text references notes (id) deferrable initially deferred
  ) strict`);
  connection.run(`create trigger catastrophe before insert on notes when new.id = 'catastrophe'
    begin select raise(rollback, 'the transaction is gone'); end`);
  // Plenty of time, so that a busy machine does not divide a group.
  const plenty = { groupMs: 60_000, gatherMs: 60_000 };
  failures = [];
  const meter = { ...noMeter, failed: (error: unknown) => void failures.push((error as AppError).code) };
  database = new SqliteDatabase({ backend: 'memory', connection, limits: { ...plenty, ...limits }, meter });
}

beforeEach(() => open());
afterEach(() => database.close());

const write = <Result>(unit: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> =>
  database.withTables<Tables>().write(unit);
const insert = (id: string, parent: string | null = null): Promise<unknown> =>
  write((trx) => trx.insertInto('notes').values({ id, parent }).execute());
const ids = async (): Promise<string[]> => {
  const rows = await database
    .withTables<Tables>()
    .read.selectFrom('notes')
    .select('id')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
};
const statuses = async (writes: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map(({ status }) => status);

describe('a group', () => {
  it('holds all units that arrive in one turn of the event loop, and has one commit', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => insert(id)));
    expect(connection.count('begin immediate')).toBe(1);
    expect(connection.count('savepoint unit')).toBe(3);
    expect(connection.count('commit')).toBe(1);
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('waits a few turns for more units when several callers have just written, but not for a single caller', async () => {
    const inNextTurn = (id: string): Promise<unknown> => nextTurn().then(() => insert(id));
    await Promise.all([insert('a'), inNextTurn('b')]);
    expect(connection.count('commit')).toBe(2);
    await Promise.all([insert('c'), insert('d')]);
    await Promise.all([insert('e'), inNextTurn('f')]);
    expect(connection.count('commit')).toBe(4);
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('waits for more no longer than its limit says', async () => {
    open({ gatherMs: 0 });
    await Promise.all([insert('a'), insert('b')]);
    await Promise.all([insert('c'), nextTurn().then(() => insert('d'))]);
    expect(connection.count('commit')).toBe(3);
    expect(await ids()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('runs its units in the order of their arrival and resolves them in that order', async () => {
    const ran: string[] = [];
    const answered: string[] = [];
    const unit = async (id: string): Promise<void> => {
      await write(async (trx) => {
        await trx.selectFrom('notes').selectAll().execute();
        ran.push(id);
      });
      answered.push(id);
    };
    await Promise.all(['a', 'b', 'c'].map(unit));
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(answered).toEqual(['a', 'b', 'c']);
  });

  it('resolves no unit before the commit', async () => {
    let committedBefore = 0;
    await insert('a').then(() => {
      committedBefore = connection.count('commit');
    });
    expect(committedBefore).toBe(1);
  });

  it.each([
    ['the units of a group', { unitsPerGroup: 2 }, 3],
    ['the time of a group', { groupMs: 0 }, 5],
  ])(
    'ends at the limit for %s, and the event loop turns before the next one',
    async (_title, limits, groups) => {
      open(limits);
      let turns = 0;
      const turn = (): void => {
        turns += 1;
        pending = setImmediate(turn);
      };
      let pending = setImmediate(turn);
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => insert(id)));
      clearImmediate(pending);
      expect(connection.count('commit')).toBe(groups);
      expect(turns).toBeGreaterThanOrEqual(groups - 1);
    },
  );
});

describe('a commit that fails', () => {
  it('rejects every unit of its group, keeps none, and leaves the connection usable', async () => {
    const outcomes = await statuses([insert('a'), insert('orphan', 'nobody'), insert('c')]);
    expect(outcomes).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await ids()).toEqual([]);
    await insert('after');
    expect(await ids()).toEqual(['after']);
  });

  it('is reported as an unavailable database when the disk fails', async () => {
    connection.failing = 'commit';
    await expect(insert('a')).rejects.toMatchObject({ code: 'database_unavailable', status: 503 });
    connection.failing = undefined;
    expect(failures).toEqual(['database_unavailable']);
    expect(await ids()).toEqual([]);
    await insert('b');
    expect(await ids()).toEqual(['b']);
  });

  it('does not let the next group begin on changes that could not be rolled back', async () => {
    connection.failing = 'commit';
    const rollback = connection.run;
    connection.run = (statement, parameters) => {
      if (statement === 'rollback') throw new Error('cannot even do that');
      return rollback.call(connection, statement, parameters);
    };
    await expect(insert('a')).rejects.toThrow();
    connection.failing = undefined;
    connection.run = rollback;
    await insert('b');
    expect(await ids()).toEqual(['b']);
  });
});

describe('a transaction that SQLite ends by itself', () => {
  it('discards the units before it, and nothing of them counts as written', async () => {
    const outcomes = await Promise.allSettled([insert('a'), insert('catastrophe'), insert('c')]);
    const lost = { status: 'rejected', reason: { message: 'the transaction is gone' } };
    expect(outcomes).toMatchObject([lost, lost, { status: 'fulfilled' }]);
    expect(await ids()).toEqual(['c']);
  });

  it('reports a full disk with its code, and works again once there is space', async () => {
    connection.run('pragma max_page_count = 20');
    const big = 'x'.repeat(200_000);
    const outcomes = await Promise.allSettled([insert('a'), insert(big), insert('c')]);
    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'storage_full', status: 507 } });
    const kept = ['a', 'c'].filter((_id, index) => outcomes[index * 2]?.status === 'fulfilled');
    expect(await ids()).toEqual(kept);
    connection.run('pragma max_page_count = 100000');
    await insert(big);
    expect(await ids()).toContain(big);
  });

  it('does not let a unit that ignores the error write on without a transaction', async () => {
    const careless = write(async (trx) => {
      await trx
        .insertInto('notes')
        .values({ id: 'catastrophe', parent: null })
        .execute()
        .catch(() => undefined);
      await trx
        .insertInto('notes')
        .values({ id: 'stray', parent: null })
        .execute()
        .catch(() => undefined);
    });
    await expect(careless).rejects.toThrow();
    expect(await ids()).toEqual([]);
  });

  it('does not count a unit that ends the transaction itself as a success', async () => {
    const outcomes = await statuses([insert('a'), write((trx) => sql`commit`.execute(trx))]);
    expect(outcomes).toEqual(['rejected', 'rejected']);
    await insert('after');
  });
});

it('refuses a caller when the line of waiting units is full', async () => {
  open({ waitingUnits: 2 });
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((id) => insert(id)));
  expect(outcomes[2]).toMatchObject({ status: 'rejected', reason: { code: 'database_busy', status: 503 } });
  expect(failures).toEqual(['database_busy']);
  expect(await ids()).toEqual(['a', 'b']);
});
