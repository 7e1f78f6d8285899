import { type Kysely, sql } from 'kysely';

export const name = '003-late-followers';

/** Checkpoints with a lower id than the one that they follow. There are none while clocks are right, so the index takes no space. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('checkpoints_late_followers')
    .on('checkpoints')
    .columns(['thread_id', 'checkpoint_ns'])
    .where(sql<boolean>`parent_checkpoint_id > checkpoint_id`)
    .execute();
}
