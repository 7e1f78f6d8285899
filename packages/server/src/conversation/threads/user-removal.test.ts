import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetItemsOfUser } from '../../agents/store/store-item-store.ts';
import type { AgentTables } from '../../agents/store/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import type { Job, JobHandler } from '../../platform/jobs/jobs.ts';
import { forgetFeedbackOfUser } from '../feedback/feedback-store.ts';
import { conversationMigrations } from '../migrations.ts';
import { Removals } from '../removals.ts';
import type { ConversationTables } from '../tables.ts';
import { ThreadStore } from './thread-store.ts';
import { UserRemoval } from './user-removal.ts';

const at = '2030-01-01T00:00:00.000Z';
let home: string;
let database: Database<ConversationTables & AgentTables>;
let threads: ThreadStore;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-removal-'));
  const opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'conversation', conversationMigrations);
  database = opened.withTables<ConversationTables & AgentTables>();
  threads = new ThreadStore(database);
  for (const user of ['anna', 'bert']) await furnish(user);
});
afterEach(async () => {
  await database.close();
  await rm(home, { recursive: true });
});

describe('the data that a user leaves behind', () => {
  it('is removed with every row, however many threads there are', async () => {
    await remove('anna', async ({ user }, threadId) => {
      await threads.delete({ thread_id: threadId, user_id: user }, { alongside: [], at });
    });

    expect(await rowsOf('anna')).toEqual({ threads: 0, store_items: 0, feedback: 0 });
    expect(await rowsOf('bert')).toEqual({ threads: 150, store_items: 1, feedback: 1 });
  });

  it('stays while a thread does not stop, and is removed the next time', async () => {
    const busy = remove('anna', async () => {
      throw new AppError('thread_busy');
    });

    await expect(busy).rejects.toMatchObject({ code: 'thread_busy' });
    expect(await rowsOf('anna')).toEqual({ threads: 150, store_items: 1, feedback: 1 });
  });

  it('is looked for only in a folder of the user', async () => {
    await expect(remove('..', async () => undefined)).rejects.toThrow('becomes the name of a folder');
  });
});

async function remove(
  userId: string,
  deleteThread: (owner: { user: string }, threadId: string) => Promise<void>,
): Promise<void> {
  let handler: JobHandler = async () => undefined;
  new UserRemoval({
    database,
    threads,
    removals: removalsOfTables(),
    deleteThread: (owner: Owner, threadId) => deleteThread(owner as { user: string }, threadId),
    home,
  }).register({
    register: (_kind, given) => {
      handler = given;
    },
  });
  await handler({ payload: { userId }, signal: new AbortController().signal } as unknown as Job);
}

function removalsOfTables(): Removals {
  const removals = new Removals();
  removals.register({ forgetUser: forgetFeedbackOfUser });
  removals.register({ forgetUser: forgetItemsOfUser });
  return removals;
}

async function furnish(user: string): Promise<void> {
  for (let index = 0; index < 150; index += 1) {
    await threads.create({ user }, { threadId: `${user}-${index}`, metadata: {}, at });
  }
  await database.write(async (trx) => {
    await trx
      .insertInto('store_items')
      .values({
        user_id: user,
        namespace: 'n',
        key: 'k',
        value: '{}',
        created_at: at,
        updated_at: at,
        expires_at: null,
        ttl_minutes: null,
      })
      .execute();
    await trx
      .insertInto('feedback')
      .values({
        feedback_id: user,
        thread_id: 'shared',
        run_id: 'r',
        user_id: user,
        message_id: null,
        rating: 1,
        comment: null,
        created_at: at,
      })
      .execute();
  });
}

async function rowsOf(user: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['threads', 'store_items', 'feedback'] as const) {
    const rows = await database.read
      .selectFrom(table)
      .select('user_id')
      .where('user_id', '=', user)
      .execute();
    counts[table] = rows.length;
  }
  return counts;
}
