import type { Kysely } from 'kysely';

export const name = '013-picture-sizes';

/** A page keeps room for a picture before it has loaded it; files of earlier versions have no size. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('files').addColumn('width', 'integer').execute();
  await db.schema.alterTable('files').addColumn('height', 'integer').execute();
}
