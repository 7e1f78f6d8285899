import { type Kysely, sql } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '027-kept-files';

/** Stars, captions, tags and collections: what users note about their files, and what keeps a file. */
export async function up(db: Kysely<never>): Promise<void> {
  const inOrder = inKeyOrder(dialectOf(db));
  await db.schema
    .createTable('file_marks')
    .addColumn('fileId', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('starred', 'integer', (column) => column.notNull())
    .addColumn('caption', 'text', (column) => column.notNull())
    .$call(inOrder)
    .execute();
  await db.schema
    .createIndex('file_marks_starred')
    .on('file_marks')
    .columns(['owner', 'fileId'])
    .where(sql.ref('starred'), '=', sql.lit(1))
    .execute();
  await db.schema
    .createTable('file_tags')
    .addColumn('fileId', 'varchar(36)', (column) => column.notNull())
    .addColumn('tag', bytewiseText(dialectOf(db)), (column) => column.notNull())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addPrimaryKeyConstraint('file_tags_pk', ['fileId', 'tag'])
    .$call(inOrder)
    .execute();
  await db.schema.createIndex('file_tags_tag').on('file_tags').columns(['owner', 'tag', 'fileId']).execute();
  await db.schema
    .createTable('collections')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('name', bytewiseText(dialectOf(db)), (column) => column.notNull())
    .addColumn('coverFileId', 'varchar(36)')
    .addColumn('itemCount', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('collections_name')
    .unique()
    .on('collections')
    .columns(['owner', 'name'])
    .execute();
  await db.schema
    .createTable('collection_items')
    .addColumn('collectionId', 'varchar(36)', (column) => column.notNull())
    .addColumn('fileId', 'varchar(36)', (column) => column.notNull())
    .addColumn('place', 'double precision', (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_items_pk', ['collectionId', 'fileId'])
    .$call(inOrder)
    .execute();
  await db.schema
    .createIndex('collection_items_place')
    .on('collection_items')
    .columns(['collectionId', 'place', 'fileId'])
    .execute();
  await db.schema.createIndex('collection_items_file').on('collection_items').column('fileId').execute();
}
