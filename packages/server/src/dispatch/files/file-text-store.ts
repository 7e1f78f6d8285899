import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { Dialect } from '../../platform/database/dialect.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { DispatchTables, FileTextTable } from '../tables.ts';

type FileRowColumns = Selectable<DispatchTables['files']>;

/** Returns part of the unit that adds files: the words of each, by which it is found. */
export function insertTexts(
  texts: readonly { fileId: string; words: readonly string[] }[],
): BoundStatement[] {
  return newTexts.bind(texts.map(({ fileId, words }) => ({ fileId, words: ` ${words.join(' ')} ` })));
}

const newTexts = new PreparedRows(['fileId', 'words'], (db: Kysely<DispatchTables>, rows: FileTextTable[]) =>
  db.insertInto('file_texts').values(rows),
);

/** Returns files that have all these words, in no order and of all owners; no more than `limit`. Called within a snapshot. */
export async function filesWithWords(
  read: Kysely<DispatchTables>,
  words: readonly string[],
  { dialect, limit }: { dialect: Dialect; limit: number },
): Promise<string[]> {
  // Postgres takes dividing a text for cheap and would read the whole table for a frequent word.
  if (dialect === 'postgres') await sql`select set_config('enable_seqscan', 'off', true)`.execute(read);
  const { rows } = await indexed(words, { dialect, limit }).execute(read);
  return rows.map(({ fileId }) => fileId);
}

/** No word contains a space or a quotation mark. */
function indexed(words: readonly string[], { dialect, limit }: { dialect: Dialect; limit: number }) {
  if (dialect === 'postgres')
    return sql<{ fileId: string }>`select "fileId" from file_texts
      where string_to_array(btrim(words), ' ') @> string_to_array(${words.join(' ')}, ' ') limit ${limit}`;
  const question = words.map((word) => `"${word}"`).join(' ');
  return sql<{ fileId: string }>`select "fileId" from file_search(${question}) limit ${limit}`;
}

/**
 * Returns the rows of these files as a table. It is made before other conditions are looked at: an engine would rather walk all files of
 * the owner in their order.
 */
export function foundFiles(fileIds: readonly string[], dialect: Dialect) {
  const list = JSON.stringify(fileIds);
  return dialect === 'postgres'
    ? sql<FileRowColumns>`(select files.* from json_array_elements_text(${list}::json) as found
        join files on files.id = found.value offset 0)`
    : sql<FileRowColumns>`(select files.* from json_each(${list}) as found
        cross join files on files.id = found.value limit -1)`;
}

/** True for a file that has all these words, decided by its own row. */
export function hasWords(words: readonly string[], dialect: Dialect) {
  const place = sql.raw(dialect === 'postgres' ? 'strpos' : 'instr');
  return ({ selectFrom, val }: ExpressionBuilder<DispatchTables, 'files'>): Expression<SqlBool> => {
    const all = words.map((word) => sql<SqlBool>`${place}(words, ${val(` ${word} `)}) > 0`);
    const own = selectFrom('file_texts')
      .select(sql<SqlBool>`${sql.join(all, sql` and `)}`.as('has'))
      .whereRef('file_texts.fileId', '=', 'files.id');
    return sql<SqlBool>`${own}`;
  };
}
