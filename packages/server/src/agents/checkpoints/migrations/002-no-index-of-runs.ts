import type { Kysely } from 'kysely';

export const name = '002-no-index-of-runs';

/**
 * Only a run that is taken up again looks for its own checkpoints, and it finds them among those of its thread. Each checkpoint
 * paid for this index with 80 bytes and a write.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.dropIndex('checkpoints_run').execute();
}
