import { type Kysely, sql } from 'kysely';

export const name = '031-notes-in-order';

/** Stars, tags and collections have the time of the file, so that an index has its files in the order of a list. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['file_marks', 'file_tags', 'collection_items']) {
    await db.schema
      .alterTable(table)
      .addColumn('createdAt', 'varchar(24)', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`update ${sql.table(table)} set "createdAt" = files."createdAt" from files
      where files.id = ${sql.table(table)}."fileId"`.execute(db);
  }
  await db.schema.dropIndex('file_marks_starred').execute();
  await db.schema
    .createIndex('file_marks_starred')
    .on('file_marks')
    .columns(['owner', 'createdAt', 'fileId'])
    .where(sql.ref('starred'), '=', sql.lit(1))
    .execute();
  await db.schema.dropIndex('file_tags_tag').execute();
  await db.schema
    .createIndex('file_tags_tag')
    .on('file_tags')
    .columns(['owner', 'tag', 'createdAt', 'fileId'])
    .execute();
  await db.schema
    .createIndex('collection_items_time')
    .on('collection_items')
    .columns(['collectionId', 'createdAt', 'fileId'])
    .execute();
}
