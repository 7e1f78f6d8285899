import type { Kysely } from 'kysely';

export const name = '012-attempt-ends';

/** The attempts of the last hour and those that go on: the overview reads one range of this index and no row. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('task_attempts_ended')
    .on('task_attempts')
    .columns(['endedAt', 'instanceId', 'startedAt', 'outcome'])
    .execute();
}
