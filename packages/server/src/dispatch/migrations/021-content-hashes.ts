import type { Kysely } from 'kysely';

export const name = '021-content-hashes';

/** Clients of the Comfy API ask by this hash whether a file has to be uploaded at all. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('files').addColumn('blake3', 'varchar(64)').execute();
  await db.schema.createIndex('files_blake3').on('files').columns(['blake3', 'owner']).execute();
}
