import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { Dialect } from '../../platform/database/dialect.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { DispatchTables, FileTextTable } from '../tables.ts';

type Trx = WriteTransaction<DispatchTables>;

export interface FileWords {
  fileId: string;
  createdAt: string;
  words: readonly string[];
}

/** Returns part of the unit that adds files: the words of each, by which it is found. */
export function insertTexts(texts: readonly FileWords[]): BoundStatement[] {
  return newTexts.bind(texts.map(({ words, ...file }) => ({ ...file, words: ` ${words.join(' ')} ` })));
}

const newTexts = new PreparedRows(
  ['fileId', 'createdAt', 'words'],
  (db: Kysely<DispatchTables>, rows: FileTextTable[]) => db.insertInto('file_texts').values(rows),
);

/** Part of the unit that removes files. */
export async function deleteTexts(
  trx: Trx,
  files: readonly { id: string; createdAt: string }[],
): Promise<void> {
  await trx
    .deleteFrom('file_texts')
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('createdAt', 'fileId'),
        'in',
        files.map(({ id, createdAt }) => tuple(createdAt, id)),
      ),
    )
    .execute();
}

/** Selects `id` and `createdAt` of the files that have all these words, in no order. `fits` is 1. No word contains a space or a quotation mark. */
export function filesWithWords(
  words: readonly string[],
  { dialect, since, until }: { dialect: Dialect } & Partial<Record<'since' | 'until', string | undefined>>,
): RawBuilder<FoundFile & { fits: number }> {
  const within = [
    since === undefined ? sql`` : sql` and "createdAt" >= ${since}`,
    until === undefined ? sql`` : sql` and "createdAt" <= ${until}`,
  ];
  // The list stands in a select of its own, so that Postgres plans for words that it does not know. For a frequent word it would read the
  // whole table, since it takes dividing a text for cheap.
  const hasAll =
    dialect === 'postgres'
      ? sql`file_texts where string_to_array(btrim(words), ' ') @> (select string_to_array(${words.join(' ')}, ' '))`
      : sql`file_search where file_search match ${words.map((word) => `"${word}"`).join(' ')}`;
  return sql`(select "fileId" as id, "createdAt", 1 as fits from ${hasAll}${sql.join(within, sql``)})`;
}

/**
 * Returns the rows of the files of a table `found` as a table. It is made before other conditions are looked at: an engine would rather
 * walk all files of the owner in their order.
 */
export function foundFiles(dialect: Dialect) {
  const end = sql.raw(dialect === 'postgres' ? 'offset 0' : 'limit -1');
  return sql<Selectable<DispatchTables['files']>>`(select files.* from found cross join files
    where files.id = found.id ${end})`;
}

type FoundFile = Pick<Selectable<DispatchTables['files']>, 'id' | 'createdAt'>;

/** True for a file that has all these words, decided by its own row. */
export function hasWords(words: readonly string[], dialect: Dialect) {
  const place = sql.raw(dialect === 'postgres' ? 'strpos' : 'instr');
  return ({ selectFrom, val }: ExpressionBuilder<DispatchTables, 'files'>): Expression<SqlBool> => {
    const all = words.map((word) => sql<SqlBool>`${place}(words, ${val(` ${word} `)}) > 0`);
    const own = selectFrom('file_texts')
      .select(sql<SqlBool>`${sql.join(all, sql` and `)}`.as('has'))
      .whereRef('file_texts.createdAt', '=', 'files.createdAt')
      .whereRef('file_texts.fileId', '=', 'files.id');
    return sql<SqlBool>`${own}`;
  };
}
