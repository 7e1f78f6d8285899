import { type Kysely, sql } from 'kysely';
import { dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '026-file-search';

/** The words by which files are found. Files of earlier versions get theirs while the gateway runs. */
export async function up(db: Kysely<never>): Promise<void> {
  const dialect = dialectOf(db);
  await db.schema
    .createTable('file_texts')
    .addColumn('fileId', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('words', 'text', (column) => column.notNull())
    .$call(inKeyOrder(dialect))
    .execute();
  for (const statement of dialect === 'sqlite' ? onSqlite : onPostgres) await statement.execute(db);

  // A walk through the newest files decides by the index alone which of them fit.
  await db.schema.dropIndex('files_owner_created').execute();
  await db.schema.dropIndex('files_created').execute();
  const others = sql.raw(
    '"source", "contentType", "width", "height", "size", "workflowId", (cast("width" as bigint) * "height")',
  );
  await sql`create index files_of_owner on files ("owner", "createdAt", "id", ${others})`.execute(db);
  await sql`create index files_of_all on files ("createdAt", "id", "owner", ${others})`.execute(db);
}

/**
 * The index keeps no text of its own: triggers hand it the words, so that every way to write the table fills it. It finds a row to remove by
 * the word of its file.
 */
const onSqlite = [
  sql`create virtual table file_search using fts5(words, "fileId" unindexed, content = '', contentless_delete = 1,
    contentless_unindexed = 1, detail = none, tokenize = "ascii tokenchars '#@$-_'")`,
  sql`create trigger file_texts_added after insert on file_texts begin
    insert into file_search (words, "fileId") values ('#' || new."fileId" || ' ' || new.words, new."fileId");
  end`,
  sql`create trigger file_texts_removed after delete on file_texts begin
    delete from file_search where rowid in (select rowid from file_search('"#' || old."fileId" || '"'));
  end`,
];

const onPostgres = [
  sql`create index file_texts_words on file_texts using gin (string_to_array(btrim(words), ' '))`,
];
