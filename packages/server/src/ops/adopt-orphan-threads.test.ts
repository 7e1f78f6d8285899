import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckpointer } from '../agents/checkpoints/checkpointer.ts';
import { checkpointMigrations } from '../agents/checkpoints/migrations.ts';
import { ThreadCheckpoints } from '../agents/checkpoints/thread-checkpoint-store.ts';
import { conversationMigrations } from '../conversation/migrations.ts';
import type { ConversationTables } from '../conversation/tables.ts';
import { ThreadStore } from '../conversation/threads/thread-store.ts';
import type { Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { openDatabase } from '../platform/database/open.ts';
import { adoptOrphanThreads } from './adopt-orphan-threads.ts';

const at = '2030-01-01T00:00:00.000Z';
let opened: Database<unknown>;
let database: Database<ConversationTables>;
let store: ThreadStore;
beforeAll(async () => {
  opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'checkpoints', checkpointMigrations);
  await migrate(opened, 'conversation', conversationMigrations);
  database = opened.withTables<ConversationTables>();
  store = new ThreadStore(database);
});
afterAll(() => opened.close());

test('threads without a record go to the administrator once; shared and deleted threads do not change', async () => {
  const checkpoints = new ThreadCheckpoints(opened);
  const saver = await openCheckpointer(opened);
  for (const threadId of ['orphan-1', 'orphan-2', 'owned', 'shared', 'deleted']) {
    const config = { configurable: { thread_id: threadId, checkpoint_ns: '' } };
    await saver.put(config, emptyCheckpoint(), { source: 'input', step: -1, parents: {} }, {});
  }
  for (const threadId of ['owned', 'shared', 'deleted'])
    await store.create({ user: 'anna' }, { threadId, at });
  await database.write((trx) =>
    trx.updateTable('threads').set({ user_id: null }).where('thread_id', '=', 'shared').execute(),
  );
  await store.delete({ thread_id: 'deleted', user_id: 'anna' }, { alongside: [], at });

  const options = {
    threadIdsAfter: (after: string, limit: number) => checkpoints.threadIdsAfter(after, limit),
    unknownAmong: (threadIds: readonly string[]) => store.unknownAmong(threadIds),
    adopt: async ({ threadId, userId }: { threadId: string; userId: string }) => {
      await store.create({ user: userId }, { threadId, at });
    },
    adminId: 'root',
    clock: () => Date.parse(at),
  };
  expect(await adoptOrphanThreads(options)).toBe(2);
  expect(await adoptOrphanThreads(options)).toBe(0);
  const owners: Record<string, string | null | undefined> = {};
  for (const threadId of ['orphan-1', 'orphan-2', 'owned', 'shared', 'deleted'])
    owners[threadId] = (await store.find(threadId))?.user_id;
  expect(owners).toEqual({
    'orphan-1': 'root',
    'orphan-2': 'root',
    owned: 'anna',
    shared: null,
    deleted: undefined,
  });
});

test('reads all pages of 500 threads', async () => {
  const all = Array.from({ length: 1001 }, (_, place) => `t-${String(place).padStart(5, '0')}`);
  const adopted: string[] = [];
  const pages: number[] = [];
  const count = await adoptOrphanThreads({
    threadIdsAfter: async (after, limit) => {
      const page = all.filter((id) => id > after).slice(0, limit);
      pages.push(page.length);
      return page;
    },
    unknownAmong: async (ids) => ids.filter((id) => id.endsWith('0')),
    adopt: async ({ threadId }) => void adopted.push(threadId),
    adminId: 'root',
    clock: () => 0,
  });
  expect(pages).toEqual([500, 500, 1]);
  expect(count).toBe(101);
  expect(adopted).toEqual(all.filter((id) => id.endsWith('0')));
});
