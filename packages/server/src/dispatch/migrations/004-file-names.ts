import type { Kysely } from 'kysely';

export const name = '004-file-names';

/** A workflow may name an output by its name: the newest output with that name is looked up at submission. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('files_owner_name')
    .on('files')
    .columns(['owner', 'filename', 'createdAt'])
    .execute();
}
