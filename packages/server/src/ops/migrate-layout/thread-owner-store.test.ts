import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { checkpointMigrations } from '../../agents/checkpoints/migrations.ts';
import type { CheckpointTables } from '../../agents/checkpoints/tables.ts';
import { conversationMigrations } from '../../conversation/migrations.ts';
import type { ConversationTables } from '../../conversation/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { ThreadOwnerStore } from './thread-owner-store.ts';

const postgres = testPostgres('owners of threads on Postgres');
const someone = { system: 'test' };
const at = '2026-01-01T00:00:00.000Z';

let database: Database<unknown>;
afterEach(() => database.close());

describe.each([
  { title: 'owners of threads on SQLite', isSkipped: false, open: () => openDatabase({ backend: 'memory' }) },
  {
    ...postgres,
    open: async () => openDatabase(patientPostgres(await postgres.createDatabase(), 2)),
  },
])('$title', ({ isSkipped, open }) => {
  it.skipIf(isSkipped)(
    'are told for records, deleted threads and those that have a state alone',
    async () => {
      database = await open();
      const store = new ThreadOwnerStore(database);
      expect(await store.isReady(someone)).toBe(false);
      await migrate(database, 'checkpoints', checkpointMigrations);
      await migrate(database, 'conversation', conversationMigrations);
      expect(await store.isReady(someone)).toBe(true);
      await addThread('hers', 'ada');
      await addThread('shared', null);
      await database.withTables<ConversationTables>().write(async (trx) => {
        const deleted = { thread_id: 'gone', user_id: 'ada', deleted_at: at, files_left: 0 };
        await trx.insertInto('deleted_threads').values(deleted).execute();
      });
      await addCheckpoint('hers');
      await addCheckpoint('orphan');

      const fates = await store.of(someone, ['hers', 'shared', 'gone', 'orphan', "no'body"]);
      expect(Object.fromEntries(fates)).toEqual({
        hers: { kind: 'owned', owner: 'ada' },
        shared: { kind: 'ownerless' },
        gone: { kind: 'deleted' },
        orphan: { kind: 'unadopted' },
      });
    },
  );
});

async function addThread(thread_id: string, user_id: string | null): Promise<void> {
  await database.withTables<ConversationTables>().write(async (trx) => {
    await trx
      .insertInto('threads')
      .values({
        thread_id,
        user_id,
        assistant_id: null,
        display_name: null,
        status: 'idle',
        metadata: '{}',
        created_at: at,
        updated_at: at,
        state_updated_at: at,
        run_ended_at: null,
        unread: 0,
      })
      .execute();
  });
}

async function addCheckpoint(thread_id: string): Promise<void> {
  await database.withTables<CheckpointTables>().write(async (trx) => {
    await trx
      .insertInto('checkpoints')
      .values({
        thread_id,
        checkpoint_ns: '',
        checkpoint_id: 'c1',
        parent_checkpoint_id: null,
        run_id: null,
        checkpoint: '{}',
        channels: '{}',
        metadata: '{}',
      })
      .execute();
  });
}
