import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkpointMigrations } from '../../agents/checkpoints/migrations.ts';
import type { CheckpointTables } from '../../agents/checkpoints/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';
import { ThreadAccess } from './thread-access.ts';
import { ThreadStore } from './thread-store.ts';

const at = '2030-01-01T00:00:00.000Z';
const anna = { user: 'anna' };

describe('access to threads', () => {
  let database: Database<ConversationTables>;
  let access: ThreadAccess;

  beforeAll(async () => {
    const opened = await openDatabase({ backend: 'memory' });
    await migrate(opened, 'checkpoints', checkpointMigrations);
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    const store = new ThreadStore(database);
    access = new ThreadAccess(store);
    await store.create(anna, { threadId: 'own', at });
    await store.create({ user: 'bert' }, { threadId: 'foreign', at });
    await store.create(anna, { threadId: 'shared', at });
    await store.create(anna, { threadId: 'deleted', at });
    await database.write((trx) =>
      trx.updateTable('threads').set({ user_id: null }).where('thread_id', '=', 'shared').execute(),
    );
    await store.delete({ thread_id: 'deleted', user_id: 'anna' }, { alongside: [], at });
    await opened.withTables<CheckpointTables>().write((trx) =>
      trx
        .insertInto('checkpoints')
        .values({
          thread_id: 'untracked',
          checkpoint_ns: '',
          checkpoint_id: '1',
          parent_checkpoint_id: null,
          run_id: null,
          checkpoint: '{}',
          channels: '{}',
          metadata: '{}',
        })
        .execute(),
    );
  });
  afterAll(() => database.close());

  test.each([
    { threadId: 'own', mustExist: true, found: true, rule: 'own' },
    { threadId: 'own', mustExist: false, found: true, rule: 'own, where it need not exist' },
    { threadId: 'shared', mustExist: true, found: true, rule: 'rule 4: a shared record' },
    { threadId: 'shared', mustExist: false, found: true, rule: 'rule 4: a shared record' },
    { threadId: 'untracked', mustExist: false, found: false, rule: 'rule 3: no record' },
    { threadId: 'unknown', mustExist: false, found: false, rule: 'rule 3: neither record nor state' },
  ])('$threadId is allowed ($rule)', async ({ threadId, mustExist, found }) => {
    const thread = await access.require(anna, threadId, { mustExist });
    expect(thread?.thread_id ?? null).toBe(found ? threadId : null);
  });

  test.each([
    { threadId: 'foreign', mustExist: true, rule: 'rule 1' },
    { threadId: 'foreign', mustExist: false, rule: 'rule 1' },
    { threadId: 'untracked', mustExist: true, rule: 'rule 2' },
    { threadId: 'unknown', mustExist: true, rule: 'rule 2' },
    { threadId: 'deleted', mustExist: true, rule: 'deleted' },
    { threadId: 'deleted', mustExist: false, rule: 'deleted' },
  ])('$threadId is not found ($rule, must exist: $mustExist)', async ({ threadId, mustExist }) => {
    const asking = access.require(anna, threadId, { mustExist });
    await expect(asking).rejects.toMatchObject({
      code: 'thread_not_found',
      message: `Thread ${threadId} not found`,
    });
  });

  test('what has to be known has a record or a state', async () => {
    expect(await access.requireKnown(anna, 'own')).toMatchObject({ thread_id: 'own' });
    expect(await access.requireKnown(anna, 'untracked')).toBeNull();
    for (const threadId of ['unknown', 'foreign', 'deleted'])
      await expect(access.requireKnown(anna, threadId)).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  test('an administrator has no more access than another user', async () => {
    const asking = access.require({ admin: 'root' }, 'own', { mustExist: false });
    await expect(asking).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  test('an internal caller that gives a reason sees all threads, but no deleted one', async () => {
    const system = { system: 'test' };
    expect(await access.require(system, 'foreign', { mustExist: true })).toMatchObject({ user_id: 'bert' });
    const asking = access.require(system, 'deleted', { mustExist: false });
    await expect(asking).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  test('a call without a user is an error and does not stand for all users', async () => {
    await expect(access.require({ user: '' }, 'own', { mustExist: true })).rejects.toThrow(
      'without an owner',
    );
  });
});
