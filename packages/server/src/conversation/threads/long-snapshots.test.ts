import { expect, it } from 'vitest';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables, ThreadSnapshotRow } from '../tables.ts';

const snapshot: ThreadSnapshotRow = {
  thread_id: 't',
  user_id: 'ada',
  checkpoint_id: 'c',
  values: JSON.stringify({ text: 'x'.repeat(1_200) }),
  next: '[]',
  interrupts: '{}',
  error: null,
  updated_at: '2026-03-10T10:00:00.000Z',
};

interface PageTables {
  dbstat: { name: string; pagetype: string };
}

it('the snapshot of a short conversation shares its page with others, also one that was stored before', async () => {
  const opened = await openDatabase({ backend: 'memory' });
  const before = conversationMigrations.findIndex(({ name }) => name === '026-long-snapshots');
  await migrate(opened, 'conversation', conversationMigrations.slice(0, before));
  const database = opened.withTables<ConversationTables & PageTables>();
  await database.write((trx) => trx.insertInto('thread_snapshots').values(snapshot).execute());
  await migrate(opened, 'conversation', conversationMigrations);

  expect(await database.read.selectFrom('thread_snapshots').selectAll().execute()).toEqual([snapshot]);
  const pages = await database.read
    .selectFrom('dbstat')
    .select('pagetype')
    .where('name', '=', 'thread_snapshots')
    .execute();
  expect(pages).toEqual([{ pagetype: 'leaf' }]);
  await opened.close();
});
