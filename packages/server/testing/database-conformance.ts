import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, DatabaseMeter } from '../src/platform/database/database.ts';
import { isUniqueViolation } from '../src/platform/database/database-errors.ts';
import { migrate, pendingMigrations } from '../src/platform/database/migrate.ts';
import { Prepared } from '../src/platform/database/prepared.ts';
import { PreparedRows } from '../src/platform/database/prepared-rows.ts';
import { tableExists } from '../src/platform/database/table-exists.ts';

interface Tables {
  notes: { id: string; text: string; size: number | null; bytes: Uint8Array | null };
}

const createNotes = {
  name: '001-notes',
  async up(db: Kysely<never>): Promise<void> {
    await db.schema
      .createTable('notes')
      .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('size', 'bigint')
      .addColumn('bytes', 'bytea')
      .execute();
  },
};

const newNotes = new PreparedRows(
  ['id', 'text', 'size'],
  (db: Kysely<Tables>, rows: Omit<Tables['notes'], 'bytes'>[]) =>
    db.insertInto('notes').values(rows.map((row) => ({ ...row, bytes: null }))),
);
const withText = new Prepared((db: Kysely<Tables>, { id, text }: { id: string; text: string }) =>
  db.updateTable('notes').set({ text }).where('id', '=', id),
);
const without = new Prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db.deleteFrom('notes').where('id', '=', id),
);

/** The behaviour of every database. `open` returns an empty one. */
export function databaseConformance(
  name: string,
  open: (meter: DatabaseMeter) => Promise<Database<unknown>>,
): void {
  describe(name, () => {
    let opened: Database<unknown>;
    const measured = { waits: 0, workedMs: 0, failures: [] as unknown[] };
    const meter: DatabaseMeter = {
      waited: () => void measured.waits++,
      worked: (ms) => {
        measured.workedMs += ms;
      },
      failed: (error) => void measured.failures.push(error),
    };
    let database: Database<Tables>;

    beforeAll(async () => {
      opened = await open(meter);
      database = opened.withTables<Tables>();
      await migrate(opened, 'notes', [createNotes]);
    });
    beforeEach(() => database.write((trx) => trx.deleteFrom('notes').execute()));
    afterAll(() => opened.close());

    const ids = async (): Promise<string[]> => {
      const rows = await database.read.selectFrom('notes').select('id').orderBy('id').execute();
      return rows.map(({ id }) => id);
    };
    const insert = (id: string, text = ''): Promise<unknown> =>
      database.write((trx) =>
        trx.insertInto('notes').values({ id, text, size: null, bytes: null }).execute(),
      );

    describe('a statement that is built once', () => {
      const byText = new Prepared((db: Kysely<Tables>, { text, max }: { text: string; max: number }) =>
        db.selectFrom('notes').selectAll().where('text', '=', text).where('size', '<=', max).orderBy('id'),
      );
      const put = new Prepared((db: Kysely<Tables>, note: { id: string; size: number | null }) =>
        db.insertInto('notes').values({ id: note.id, text: 'fixed', size: note.size, bytes: null }),
      );

      it('accepts different values each time, including null, in a unit and in a read', async () => {
        await database.write(async (trx) => {
          await put.run(trx, { id: 'a', size: 1 });
          await put.run(trx, { id: 'b', size: 5 });
          await put.run(trx, { id: 'c', size: null });
        });
        const idsUpTo = async (max: number) =>
          (await byText.run(database.read, { text: 'fixed', max })).rows.map(({ id }) => id);
        expect(await idsUpTo(1)).toEqual(['a']);
        expect(await idsUpTo(5)).toEqual(['a', 'b']);
        expect(await byText.first(database.read, { text: 'other', max: 5 })).toBeUndefined();
      });

      it('does not write through `read`', async () => {
        await expect(put.run(database.read, { id: 'd', size: 1 })).rejects.toThrow('database.write()');
      });
    });

    it('measures how long its callers wait, and how long it works', async () => {
      const before = { ...measured };
      await Promise.all([insert('a'), insert('b')]);
      expect(measured.waits - before.waits).toBe(2);
      expect(measured.workedMs).toBeGreaterThan(before.workedMs);
      expect(measured.failures).not.toContainEqual(expect.objectContaining({ code: 'database_unavailable' }));
    });

    it('knows which tables there are, and which steps they still need', async () => {
      expect(await tableExists(database, 'notes')).toBe(true);
      expect(await tableExists(database, 'letters')).toBe(false);
      const later = { name: '002-later', up: async () => undefined };
      expect(await pendingMigrations(opened, 'notes', [createNotes, later])).toEqual(['002-later']);
      expect(await pendingMigrations(opened, 'letters', [later])).toEqual(['002-later']);
      await expect(pendingMigrations(opened, 'notes', [])).rejects.toThrow('newer than this version');
      expect(await tableExists(database, 'letters_migrations')).toBe(false);
    });

    describe('values', () => {
      it('returns numbers, text, bytes and null unchanged', async () => {
        const row = {
          id: 'all',
          text: 'Ünïcödé 漢字 🚂 \\ \' " %',
          size: Number.MAX_SAFE_INTEGER,
          bytes: new Uint8Array([0, 1, 255]),
        };
        await database.write((trx) => trx.insertInto('notes').values(row).execute());
        const [read] = await database.read.selectFrom('notes').selectAll().execute();
        expect({ ...read, bytes: new Uint8Array(read?.bytes ?? []) }).toStrictEqual(row);
      });

      it('returns counts and sums as numbers', async () => {
        await database.write((trx) =>
          trx
            .insertInto('notes')
            .values([1, 2].map((size) => ({ id: `${size}`, text: '', size, bytes: null })))
            .execute(),
        );
        const query = database.read
          .selectFrom('notes')
          .select((eb) => [eb.fn.countAll().as('count'), eb.fn.sum('size').as('sum')]);
        expect(await query.executeTakeFirst()).toStrictEqual({ count: 2, sum: 3 });
      });

      it('returns how many rows a statement changed', async () => {
        await Promise.all([insert('a'), insert('b')]);
        const result = await database.write((trx) =>
          trx.updateTable('notes').set({ text: 'new' }).executeTakeFirstOrThrow(),
        );
        expect(result.numUpdatedRows).toBe(2n);
      });

      it.each([
        ['a boolean', true, 'boolean'],
        ['an object', { a: 1 }, 'an object (Object)'],
        ['a date', new Date(), 'an object (Date)'],
        ['not a number', Number.NaN, 'not a number'],
      ])('refuses %s as a parameter and says which one', async (_title, value, described) => {
        const query = database.read
          .selectFrom('notes')
          .select('id')
          .where('id', '=', 'x')
          .where('text', '=', value as never);
        await expect(query.execute()).rejects.toThrow(`Parameter 2 of a statement is ${described}.`);
      });
    });

    describe('writes', () => {
      it('returns the result of the unit once its rows can be read', async () => {
        const answer = await database.write(async (trx) => {
          await trx.insertInto('notes').values({ id: 'a', text: '', size: null, bytes: null }).execute();
          return (await trx.selectFrom('notes').select('id').execute()).length;
        });
        expect(answer).toBe(1);
        expect(await ids()).toEqual(['a']);
      });

      it('lets a failing unit fail alone among those that arrive with it', async () => {
        const outcomes = await Promise.allSettled([
          insert('a'),
          database.write(async (trx) => {
            await trx.insertInto('notes').values({ id: 'b', text: '', size: null, bytes: null }).execute();
            throw new Error('no');
          }),
          insert('c'),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await ids()).toEqual(['a', 'c']);
      });

      it('accepts a unit that throws before it awaits anything', async () => {
        const failing = database.write(() => {
          throw new Error('at once');
        });
        await expect(failing).rejects.toThrow('at once');
      });

      it('distinguishes a row that already exists from other faults', async () => {
        await insert('a');
        expect(isUniqueViolation(await insert('a').catch((error: unknown) => error))).toBe(true);
        const withoutText = database.write((trx) =>
          trx
            .insertInto('notes')
            .values({ id: 'b', text: null as never, size: null, bytes: null })
            .execute(),
        );
        expect(isUniqueViolation(await withoutText.catch((error: unknown) => error))).toBe(false);
      });

      it('refuses a unit that continues after a failed statement, because Postgres would drop it silently', async () => {
        await insert('a');
        const goingOn = database.write(async (trx) => {
          await trx.insertInto('notes').values({ id: 'b', text: '', size: null, bytes: null }).execute();
          const again = trx.insertInto('notes').values({ id: 'a', text: '', size: null, bytes: null });
          await again.execute().catch(() => undefined);
        });
        await expect(goingOn).rejects.toThrow('went on after one of its statements had failed');
        expect(await ids()).toEqual(['a']);
      });

      it('does a unit of one statement, and returns its rows', async () => {
        const note = (id: string, size = 1) =>
          database.writeOne((db) =>
            db.insertInto('notes').values({ id, text: '', size, bytes: null }).returning(['id', 'size']),
          );
        expect((await note('a')).rows).toEqual([{ id: 'a', size: 1 }]);
        expect(isUniqueViolation(await note('a').catch((error: unknown) => error))).toBe(true);
        await expect(note('b', Number.NaN)).rejects.toThrow('not a number');
        expect(await ids()).toEqual(['a']);
      });

      it('writes what a unit hands in last, each statement with its own values', async () => {
        await insert('changed');
        await insert('gone');
        // Twice, since what was joined once is kept.
        for (const round of ['1', '2']) {
          const later = newNotes.bind(['b', 'c'].map((id) => ({ id: `${id}${round}`, text: id, size: 3 })));
          await database.write(async (trx, lastly) => {
            await trx
              .insertInto('notes')
              .values({ id: `a${round}`, text: 'a', size: null, bytes: null })
              .execute();
            lastly(withText.bind({ id: 'changed', text: round }), ...later);
            lastly(without.bind({ id: 'gone' }));
          });
        }
        const rows = await database.read.selectFrom('notes').select(['id', 'text']).orderBy('id').execute();
        expect(rows.map(({ id, text }) => `${id}: ${text}`)).toEqual([
          ...['a1: a', 'a2: a', 'b1: b', 'b2: b', 'c1: c', 'c2: c', 'changed: 2'],
        ]);
      });

      it('writes any number of statements that a unit only hands in', async () => {
        const numbers = Array.from({ length: 20 }, (_, index) => String(index + 10));
        const notes = numbers.flatMap((id) => newNotes.bind([{ id, text: '', size: null }]));
        await database.write(async (_trx, lastly) => lastly(...notes));
        expect(await ids()).toEqual(numbers);
      });

      it.each(['first', 'only'])(
        'undoes a unit when what it hands in last fails, with writes %s',
        async (which) => {
          await insert('taken');
          const failing = database.write(async (trx, lastly) => {
            const before = { id: 'before', text: '', size: null, bytes: null };
            if (which === 'first') await trx.insertInto('notes').values(before).execute();
            lastly(...newNotes.bind([{ id: 'new', text: '', size: null }]));
            lastly(...newNotes.bind([{ id: 'taken', text: '', size: null }]));
          });
          expect(await failing.catch(isUniqueViolation)).toBe(true);
          expect(await ids()).toEqual(['taken']);
        },
      );

      it('undoes a unit that hands in last what cannot be stored', async () => {
        const failing = database.write(async (trx, lastly) => {
          await trx.insertInto('notes').values({ id: 'before', text: '', size: null, bytes: null }).execute();
          lastly(...newNotes.bind([{ id: 'last', text: '', size: Number.NaN }]));
        });
        await expect(failing).rejects.toThrow('not a number');
        expect(await ids()).toEqual([]);
      });

      it('refuses what a unit hands in after it has returned', async () => {
        const kept = await database.write(async (_trx, lastly) => ({ lastly }));
        expect(() => kept.lastly(without.bind({ id: 'a' }))).toThrow('This unit is over');
      });

      it('prevents a unit from using the database after it has returned', async () => {
        const kept = await database.write(async (trx) => ({ trx }));
        const late = kept.trx.insertInto('notes').values({ id: 'late', text: '', size: null, bytes: null });
        await expect(late.execute()).rejects.toThrow('This unit is over');
        expect(await ids()).toEqual([]);
      });
    });

    describe('a unit that awaits something else than its trx', () => {
      const awaiting = (other: () => Promise<unknown>): Promise<unknown> =>
        database.write(async (trx) => {
          await trx.insertInto('notes').values({ id: 'early', text: '', size: null, bytes: null }).execute();
          await other();
          await trx.insertInto('notes').values({ id: 'late', text: '', size: null, bytes: null }).execute();
        });

      /** A write that a refused unit has begun is stored all the same, and must not come in the next test. */
      let inner: Promise<unknown> | undefined;
      afterEach(() => inner);

      it.each([
        ['a timer', () => new Promise((resolve) => setTimeout(resolve, 20))],
        [
          'another write',
          () => {
            inner = insert('inner');
            return inner;
          },
        ],
        ['nothing that ever comes', () => new Promise(() => undefined)],
      ])('is refused for %s, rolled back, and delays no other unit', async (_title, other) => {
        const outcomes = await Promise.allSettled([awaiting(other), insert('beside')]);
        expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
        expect((outcomes[0] as PromiseRejectedResult).reason.message).toContain(
          'awaited something other than its trx',
        );
        expect((await ids()).filter((id) => id === 'early' || id === 'late')).toEqual([]);
      });

      it('may use many statements, one after the other and at once', async () => {
        await database.write(async (trx) => {
          const add = (id: string): Promise<unknown> =>
            trx.insertInto('notes').values({ id, text: '', size: null, bytes: null }).execute();
          for (let index = 0; index < 20; index += 1) await add(`one-${index}`);
          await Promise.all(Array.from({ length: 20 }, (_, index) => add(`other-${index}`)));
        });
        expect(await ids()).toHaveLength(40);
      });

      it('does statements that it asks for at once in their order', async () => {
        const text = await database.write(async (trx) => {
          const set = (to: string): Promise<unknown> =>
            trx.updateTable('notes').set({ text: to }).where('id', '=', 'one').execute();
          const [, , row] = await Promise.all([
            trx.insertInto('notes').values({ id: 'one', text: 'first', size: null, bytes: null }).execute(),
            set('second'),
            trx.selectFrom('notes').select('text').where('id', '=', 'one').executeTakeFirst(),
            set('third'),
          ]);
          return row?.text;
        });
        expect(text).toBe('second');
      });

      it('fails with the first of several statements that it asks for at once, and keeps nothing', async () => {
        await insert('present');
        const add = (trx: Kysely<Tables>, id: string): Promise<unknown> =>
          trx.insertInto('notes').values({ id, text: '', size: null, bytes: null }).execute();
        const failing = database.write((trx) =>
          Promise.all([add(trx, 'before'), add(trx, 'present'), add(trx, 'after')]),
        );
        await expect(failing).rejects.toSatisfy(isUniqueViolation);
        expect(await ids()).toEqual(['present']);
      });
    });

    describe('reads', () => {
      it('never see a row that is not committed', async () => {
        const seen: Promise<string[]>[] = [];
        const failing = database.write(async (trx) => {
          await trx.insertInto('notes').values({ id: 'undone', text: '', size: null, bytes: null }).execute();
          seen.push(ids());
          await trx
            .insertInto('notes')
            .values({ id: 'undone-too', text: '', size: null, bytes: null })
            .execute();
          throw new Error('undo');
        });
        await expect(failing).rejects.toThrow('undo');
        expect(await Promise.all(seen)).toEqual([[]]);
      });

      it.each([
        ['an insert', (db: Kysely<Tables>) => db.insertInto('notes').defaultValues().execute()],
        ['an update', (db: Kysely<Tables>) => db.updateTable('notes').set({ text: '' }).execute()],
        ['a delete', (db: Kysely<Tables>) => db.deleteFrom('notes').execute()],
        ['a new table', (db: Kysely<Tables>) => db.schema.createTable('more').execute()],
        ['raw statements that change', (db: Kysely<Tables>) => sql`delete from notes`.execute(db)],
      ])('refuse %s', async (_title, act) => {
        await expect(act(database.read)).rejects.toThrow('Hand it to database.write()');
      });

      it('refuse to open a transaction', async () => {
        const transaction = database.read.transaction().execute(async () => undefined);
        await expect(transaction).rejects.toThrow('Transactions go through database.write()');
      });
    });

    describe('a snapshot', () => {
      const counted = async (frozen: Database<Tables>): Promise<number> => {
        const count = frozen.read.selectFrom('notes').select(({ fn }) => fn.countAll<number>().as('count'));
        return (await count.executeTakeFirstOrThrow()).count;
      };

      it('does not see what is written between its statements, and the next one does', async () => {
        await insert('a');
        let written: Promise<unknown> | undefined;
        const seen = await database.snapshot(async (frozen) => {
          const first = await counted(frozen);
          written = insert('b');
          // Many statements, so that the other write has time on a database that works beside this one.
          const later: number[] = [];
          for (let index = 0; index < 20; index += 1) later.push(await counted(frozen));
          return { first, later: new Set(later) };
        });
        await written;
        expect(seen).toEqual({ first: 1, later: new Set([1]) });
        expect(await database.snapshot(counted)).toBe(2);
      });

      it('sees no row of a unit that is undone, and does not hold up the next unit', async () => {
        const seen: Promise<number>[] = [];
        const failing = database.write(async (trx) => {
          await trx.insertInto('notes').values({ id: 'undone', text: '', size: null, bytes: null }).execute();
          seen.push(database.snapshot(counted));
          await trx.insertInto('notes').values({ id: 'more', text: '', size: null, bytes: null }).execute();
          throw new Error('undo');
        });
        await expect(failing).rejects.toThrow('undo');
        expect(await Promise.all(seen)).toEqual([0]);
        await insert('next');
        expect(await ids()).toEqual(['next']);
      });

      it('may be taken by many at once beside many writes, and each sees whole units', async () => {
        const pairs = Array.from({ length: 30 }, (_, index) =>
          database.write(async (trx) => {
            for (const half of ['left', 'right'])
              await trx
                .insertInto('notes')
                .values({ id: `${index}-${half}`, text: '', size: null, bytes: null })
                .execute();
          }),
        );
        const snapshots = Array.from({ length: 30 }, () =>
          database.snapshot(async (frozen) => [await counted(frozen), await counted(frozen)]),
        );
        for (const [one = 0, other] of await Promise.all(snapshots)) {
          expect(one % 2).toBe(0);
          expect(other).toBe(one);
        }
        await Promise.all(pairs);
        expect(await database.snapshot(counted)).toBe(60);
      });

      it('answers a snapshot inside it from the same rows', async () => {
        const [outer, inner] = await database.snapshot(async (frozen) => [
          await counted(frozen),
          await frozen.snapshot(counted),
        ]);
        expect(inner).toBe(outer);
      });

      it('refuses to write', async () => {
        const deleting = database.snapshot((frozen) => frozen.read.deleteFrom('notes').execute());
        await expect(deleting).rejects.toThrow('Hand it to database.write()');
        const writing = database.snapshot((frozen) => frozen.write(async () => undefined));
        await expect(writing).rejects.toThrow('A snapshot only reads.');
        await insert('after');
        expect(await ids()).toEqual(['after']);
      });

      it('is refused when it awaits something else, and holds up no write', async () => {
        const waiting = database.snapshot(() => new Promise(() => undefined));
        const written = insert('beside');
        await expect(waiting).rejects.toThrow('awaited something other than its trx');
        await written;
        expect(await ids()).toEqual(['beside']);
      });
    });

    it('answers a ping', async () => {
      await expect(database.ping(5_000)).resolves.toBeUndefined();
    });

    describe('migrations', () => {
      const makes = (name: string, table: string) => ({
        name,
        up: (db: Kysely<never>) => db.schema.createTable(table).addColumn('id', 'text').execute(),
      });

      it('run once each, in order', async () => {
        const [first, second] = [makes('001-a', 'ordered_a'), makes('002-b', 'ordered_b')];
        expect(await migrate(opened, 'ordered', [first])).toEqual(['001-a']);
        expect(await migrate(opened, 'ordered', [first, second])).toEqual(['002-b']);
        expect(await migrate(opened, 'ordered', [first, second])).toEqual([]);
      });

      it('leave nothing behind when one of them fails', async () => {
        const failing = { name: '002-b', up: () => Promise.reject(new Error('no')) };
        const all = [makes('001-a', 'failing_a'), failing];
        await expect(migrate(opened, 'failing', all)).rejects.toThrow('no');
        expect(await migrate(opened, 'failing', [makes('001-a', 'failing_a')])).toEqual(['001-a']);
      });

      it('refuse a database that a newer version has written', async () => {
        await migrate(opened, 'newer', [makes('001-a', 'newer_a'), makes('002-b', 'newer_b')]);
        await expect(migrate(opened, 'newer', [makes('001-a', 'newer_a')])).rejects.toThrow(
          'The database is newer than this version: it has the migration 002-b of newer,',
        );
      });

      it('refuse a database that lacks one of the earlier migrations', async () => {
        await migrate(opened, 'gap', [makes('002-b', 'gap_b')]);
        await expect(
          migrate(opened, 'gap', [makes('001-a', 'gap_a'), makes('002-b', 'gap_b')]),
        ).rejects.toThrow('has later migrations of gap than 001-a');
      });
    });

    it('writes the waiting units when it closes, then accepts no more', async () => {
      const other = await open(meter);
      await migrate(other, 'notes', [createNotes]).catch(() => undefined); // Postgres and files have it already.
      const notes = other.withTables<Tables>();
      const written = notes.write(async () => 'written');
      await other.close();
      expect(await written).toBe('written');
      await expect(notes.write(async () => 'late')).rejects.toMatchObject({ code: 'shutting_down' });
      await expect(notes.read.selectFrom('notes').selectAll().execute()).rejects.toMatchObject({
        code: 'shutting_down',
      });
    });
  });
}
