import { type Kysely, sql } from 'kysely';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { Database } from '../../platform/database/database.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import { type FileModel, wordsOfRow } from '../graphs/file-words.ts';
import type { DispatchTables, FileModelTable } from '../tables.ts';

/** Models beyond these are not counted, and not listed. */
const maxCounted = 500;
/** The pairs of a user and a model that a process remembers. */
const maxRemembered = 10_000;

/** The models that the files of each user were made with. */
export class FileModelStore {
  readonly #database: Database<DispatchTables>;
  readonly #remembered = new Set<string>();

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns part of the unit that adds files: nothing for models that are known, as they are for most tasks. */
  added(owner: string, models: readonly FileModel[]): BoundStatement[] {
    const unknown = models.filter(({ word }) => !this.#remembered.has(`${owner} ${word}`));
    return insertModels(unknown.map((model) => ({ owner, ...model })));
  }

  /** The unit is committed. */
  remember(owner: string, models: readonly FileModel[]): void {
    if (this.#remembered.size > maxRemembered) this.#remembered.clear();
    for (const { word } of models) this.#remembered.add(`${owner} ${word}`);
  }

  /** Returns the models of a user with the number of files that each has made, the most used first. */
  async list(owner: string, limit: number): Promise<{ model: string; count: number }[]> {
    const { read, dialect } = this.#database;
    const [ofOwner = ''] = wordsOfRow({ owner });
    // Each is counted by the index of words.
    const count =
      dialect === 'postgres'
        ? sql<number>`(select count(*) from file_texts
            where string_to_array(btrim(words), ' ') @> array[known.word::text, ${ofOwner}])`
        : sql<number>`(select count(*) from file_search
            where file_search match '"' || known.word || '" "' || ${ofOwner} || '"')`;
    const rows = await read
      .selectFrom(
        read
          .selectFrom('file_models')
          .select(['word', 'name'])
          .where('owner', '=', owner)
          .orderBy('word')
          .limit(maxCounted)
          .as('known'),
      )
      .select(['known.name as model', count.as('count')])
      .execute();
    return rows
      .map(({ model, count }) => ({ model, count: Number(count) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.model < b.model ? -1 : 1))
      .slice(0, limit);
  }
}

/** Part of a unit that gives files their words. Units that add the same models wait for each other, so all take them in one order. */
export function insertModels(rows: readonly FileModelTable[]): BoundStatement[] {
  const distinct = new Map(rows.map((row) => [`${row.owner} ${row.word}`, row]));
  const inOrder = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
  return newModels.bind(inOrder.map(([, row]) => row));
}

const newModels = new PreparedRows(
  ['owner', 'word', 'name'],
  (db: Kysely<DispatchTables>, rows: FileModelTable[]) =>
    db
      .insertInto('file_models')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
);
