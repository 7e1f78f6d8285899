import { type Kysely, sql } from 'kysely';
import { bytewiseText, dialectOf } from '../../../platform/database/dialect.ts';
import { newestFirst } from './newest-first.ts';

export const name = '004-places';

interface Tables {
  checkpoints: {
    thread_id: string;
    checkpoint_ns: string;
    checkpoint_id: string;
    parent_checkpoint_id: string | null;
    place: string | null;
  };
}

/**
 * Checkpoints whose ids do not say where they stand get a place. There are none while clocks are right, so the index takes no
 * space. Those of threads that a wrong clock has written before are placed behind what they follow.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('checkpoints')
    .addColumn('place', bytewiseText(dialectOf(db)))
    .execute();
  await placeLateFollowers(db as unknown as Kysely<Tables>);
  await db.schema
    .createIndex('checkpoints_places')
    .on('checkpoints')
    .columns(['thread_id', 'checkpoint_ns', 'place'])
    .where(sql<boolean>`place is not null`)
    .execute();
  await db.schema.dropIndex('checkpoints_late_followers').execute();
}

async function placeLateFollowers(db: Kysely<Tables>): Promise<void> {
  const threads = await db
    .selectFrom('checkpoints')
    .select(['thread_id', 'checkpoint_ns'])
    .distinct()
    .whereRef('parent_checkpoint_id', '>', 'checkpoint_id')
    .execute();
  for (const { thread_id, checkpoint_ns } of threads) {
    const rows = await db
      .selectFrom('checkpoints')
      .select(['checkpoint_ns as namespace', 'checkpoint_id as id', 'parent_checkpoint_id as parentId'])
      .where('thread_id', '=', thread_id)
      .where('checkpoint_ns', '=', checkpoint_ns)
      .orderBy('checkpoint_id', 'desc')
      .execute();
    let [highest, number] = ['', 0];
    for (const { id } of newestFirst(rows).reverse()) {
      if (id > highest) {
        [highest, number] = [id, 0];
        continue;
      }
      number += 1;
      await db
        .updateTable('checkpoints')
        .set({ place: `${highest}+${String(number).padStart(8, '0')}` })
        .where('thread_id', '=', thread_id)
        .where('checkpoint_ns', '=', checkpoint_ns)
        .where('checkpoint_id', '=', id)
        .execute();
    }
  }
}
