import { join } from 'node:path';
import { threadId as mainThread } from 'node:worker_threads';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../lib/app-error.ts';
import type { Database } from '../database.ts';
import { openDatabase } from '../open.ts';
import { localStep, type Step } from '../procedure.ts';
import { SqliteConnection } from '../sqlite-connection.ts';
import { addNote, countNotes, type NoteTables, refuse, unknown, whereAmI } from './notes-procedures.ts';

const writeThread = new URL('./notes-thread.mjs', import.meta.url);

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let database: Database<NoteTables>;

beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder.path, 'switchyard.db');
  database = (await openDatabase({ backend: 'sqlite', file, writeThread })).withTables<NoteTables>();
  await database.write((trx) =>
    trx.schema
      .createTable('notes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('parent', 'text', (column) =>
        column.references('notes.id').modifyEnd(sql`deferrable initially deferred`),
      )
      .execute(),
  );
});
afterEach(async () => {
  await database.close();
  folder.remove();
});

/** One who comes at the same time, so that the thread is asked. */
async function beside<Result>(asked: () => Promise<Result>): Promise<Result> {
  const other = database.perform([countNotes.with(null)]);
  try {
    return await asked();
  } finally {
    await other;
  }
}
const performBeside = <const Steps extends readonly Step[]>(...steps: Steps) =>
  beside(() => database.perform(steps));
const add = (id: string, parent: string | null = null): Promise<[string]> =>
  performBeside(addNote.with({ id, parent }));
const ids = async (): Promise<string[]> => {
  const rows = await database.read.selectFrom('notes').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
};
const insertHere = (id: string): Promise<unknown> =>
  database.write((trx) => trx.insertInto('notes').values({ id, parent: null }).execute());

it('writes in a thread of its own where several write, and here where one writes alone', async () => {
  expect(await database.perform([whereAmI.with(null)])).toEqual([mainThread]);
  const [elsewhere] = await performBeside(whereAmI.with(null));
  expect(elsewhere).not.toBe(mainThread);
  expect(elsewhere).toEqual(expect.any(Number));
});

it('does the steps of a unit one after the other and answers each', async () => {
  const steps = [addNote.with({ id: 'a' }), countNotes.with(null), addNote.with({ id: 'b' })] as const;
  expect(await performBeside(...steps)).toEqual(['a', 1, 'b']);
  expect(await ids()).toEqual(['a', 'b']);
});

it('does a unit here that has a step which only this thread can do', async () => {
  const here = localStep<NoteTables, number>(async (trx) => {
    await trx.insertInto('notes').values({ id: 'here', parent: null }).execute();
    return mainThread;
  });
  expect(await performBeside(addNote.with({ id: 'a' }), here)).toEqual(['a', mainThread]);
  expect(await ids()).toEqual(['a', 'here']);
});

describe('a unit that fails', () => {
  it('leaves nothing behind and lets the others be', async () => {
    const outcomes = await Promise.allSettled([
      performBeside(addNote.with({ id: 'a' })),
      performBeside(addNote.with({ id: 'lost' }), refuse.with('own')),
      performBeside(addNote.with({ id: 'b' })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('says what it says here: names, messages and all of an AppError', async () => {
    const error: unknown = await performBeside(refuse.with('app')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: 'thread_exists',
      message: 'There is one.',
      faults: [{ in: 'body', path: ['name'], type: 'value_error', message: 'It is taken.' }],
    });
    await expect(performBeside(refuse.with('own'))).rejects.toMatchObject({
      name: 'ClaimLost',
      message: 'lost it',
      stack: expect.stringContaining('notes-procedures.ts'),
    });
    await expect(performBeside(refuse.with('text'))).rejects.toThrow('just a text');
    await add('a');
    await expect(add('a')).rejects.toThrow('UNIQUE');
  });

  it('says which procedure the thread does not know', async () => {
    await expect(performBeside(unknown.with(null))).rejects.toThrow('notes.unknown');
  });

  it('is refused here where its arguments cannot be copied', async () => {
    const uncopied = addNote.with({ id: (() => 'a') as never });
    await expect(performBeside(uncopied)).rejects.toThrow('could not be cloned');
    expect(await add('b')).toEqual(['b']);
  });
});

it('tells of results whose commit has failed', async () => {
  const doubtful: unknown[] = [];
  const unit = beside(() =>
    database.perform([addNote.with({ id: 'child', parent: 'nobody' })], {
      onDoubt: (results) => doubtful.push(results),
    }),
  );
  await expect(unit).rejects.toThrow('FOREIGN KEY');
  expect(doubtful).toEqual([['child']]);
  expect(await ids()).toEqual([]);
  expect(await add('a')).toEqual(['a']);
});

it('takes turns with this thread: all that both write is there, and neither waits for the other for long', async () => {
  const all: Promise<unknown>[] = [];
  for (let number = 0; number < 200; number += 1) {
    all.push(database.perform([addNote.with({ id: `there-${number}` })]), insertHere(`here-${number}`));
    if (number % 20 === 0) await all.at(-1);
  }
  await Promise.all(all);
  expect(await ids()).toHaveLength(400);
});

it('shows what is written to whoever reads after the answer, and nothing before the commit', async () => {
  for (let number = 0; number < 50; number += 1) {
    const adding = add(`${number}`);
    expect((await ids()).length).toBeGreaterThanOrEqual(number);
    await adding;
    expect(await ids()).toHaveLength(number + 1);
  }
});

it('waits for another process that writes', async () => {
  const other = new SqliteConnection(file);
  await add('before');
  other.run('begin immediate');
  const added = [add('a'), insertHere('b'), add('c')];
  await new Promise((resolve) => setTimeout(resolve, 100));
  other.run("insert into notes (id) values ('other')");
  other.run('commit');
  other.close();
  await Promise.all(added);
  expect(await ids()).toEqual(['a', 'b', 'before', 'c', 'other']);
});

it('writes what is in line before it closes, and takes nothing more', async () => {
  const added = Promise.all([add('a'), add('b'), insertHere('c'), add('d')]);
  const closed = database.close();
  await expect(add('e')).rejects.toMatchObject({ code: 'shutting_down' });
  await added;
  await closed;
  const again = (await openDatabase({ backend: 'sqlite', file })).withTables<NoteTables>();
  const rows = await again.read.selectFrom('notes').select('id').orderBy('id').execute();
  expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  await again.close();
});
