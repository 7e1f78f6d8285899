import { type Kysely, sql } from 'kysely';
import { dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '030-file-texts-in-order';

/**
 * The words of files stand in the order of a list, beside the time of their file: what is new is written at the end, and neighbours are
 * read together. Files get their words again while the gateway runs, since they have new ones.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const dialect = dialectOf(db);
  if (dialect === 'sqlite') await db.schema.dropTable('file_search').execute();
  await db.schema.dropTable('file_texts').execute();
  await db.schema
    .createTable('texts_in_order')
    .addColumn('fileId', 'varchar(36)', (column) => column.notNull())
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('words', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('texts_in_order_pk', ['createdAt', 'fileId'])
    .$call(inKeyOrder(dialect))
    .execute();
  await db.schema.alterTable('texts_in_order').renameTo('file_texts').execute();
  // SQLite leaves this part of a dropped index behind, and lets it go when it has read its schema again, as after a new name.
  if (dialect === 'sqlite') await db.schema.dropTable('file_search_content').ifExists().execute();
  for (const statement of dialect === 'sqlite' ? onSqlite : onPostgres) await statement.execute(db);
}

/**
 * The index keeps no text of its own: triggers hand it the words, so that every way to write the table fills it. It finds a row to remove by
 * the word of its file.
 */
const onSqlite = [
  sql`create virtual table file_search using fts5(words, "fileId" unindexed, "createdAt" unindexed, content = '', contentless_delete = 1,
    contentless_unindexed = 1, detail = none, tokenize = "ascii tokenchars '#@$-_'")`,
  sql`create trigger file_texts_added after insert on file_texts begin
    insert into file_search (words, "fileId", "createdAt")
    values ('#' || new."fileId" || ' ' || new.words, new."fileId", new."createdAt");
  end`,
  sql`create trigger file_texts_removed after delete on file_texts begin
    delete from file_search where rowid in (select rowid from file_search('"#' || old."fileId" || '"'));
  end`,
];

/** Each search reads the whole list of what is not yet in the tree, so the list is short: about 150 files. */
const onPostgres = [
  sql`create index file_texts_words on file_texts using gin (string_to_array(btrim(words), ' '))
    with (gin_pending_list_limit = 512)`,
];
