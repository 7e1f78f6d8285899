import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { conversationMigrations } from '../conversation/migrations.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../platform/database/open.ts';
import { ChannelStore, forgetChannelThread, type NewChannelMessage } from './channel-store.ts';
import type { ChannelTables } from './tables.ts';

const postgres = testPostgres('messages of channels on Postgres');
const at = '2030-01-01T00:00:00.000Z';
const later = '2030-01-02T00:00:00.000Z';
const ada = { user: 'ada' };
const limits = { ofChat: 3, ofChannel: 5 };
const chat = { channel: 'bot', chatId: 'c1', userId: 'ada' };

describe('messages of channels in memory', () => storeBehaves(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  storeBehaves(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

function message(columns: Partial<NewChannelMessage> = {}): NewChannelMessage {
  const id = newId();
  return {
    id,
    channel: 'bot',
    message_id: id,
    chat_id: 'c1',
    sender: '11',
    user_id: 'ada',
    text: 'secret words',
    files: '[]',
    status: 'accepted',
    thread_id: null,
    run_id: null,
    reply: null,
    sent: '[]',
    attempts: 0,
    error: null,
    created_at: at,
    updated_at: at,
    closed_at: null,
    ...columns,
  };
}

function storeBehaves(options: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<ChannelTables>;
  let store: ChannelStore;
  beforeAll(async () => {
    opened = await openDatabase(await options());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ChannelTables>();
    store = new ChannelStore(database);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await database.write(async (trx) => {
      await trx.deleteFrom('channel_messages').execute();
      await trx.deleteFrom('channel_threads').execute();
    });
  });

  const accept = (row: NewChannelMessage, alongside = async () => {}) =>
    store.accept(ada, row, { limits, alongside });

  it('stores a message once, even when it comes several times at the same time', async () => {
    let told = 0;
    const alongside = async () => {
      told += 1;
    };
    const again = () => accept(message({ message_id: 'm1' }), alongside);
    const answers = await Promise.all([again(), again(), again()]);
    expect(answers.sort()).toEqual(['accepted', 'duplicate', 'duplicate']);
    expect(told).toBe(1);
    expect(await accept(message({ message_id: 'm1', channel: 'desk' }))).toBe('accepted');
  });

  it('keeps the order of a chat', async () => {
    for (const text of ['one', 'two', 'three']) await accept(message({ text }));
    await accept(message({ text: 'elsewhere', chat_id: 'c2' }));
    expect((await store.accepted('bot', 'c1', 10)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  it('has room for a limited number of messages of a chat and of a channel', async () => {
    const take = async (chatId: string) => accept(message({ chat_id: chatId }));
    expect(await Promise.all([take('c1'), take('c1'), take('c1')])).toEqual([
      'accepted',
      'accepted',
      'accepted',
    ]);
    expect(await take('c1')).toBe('chat_full');
    expect(await take('c2')).toBe('accepted');
    expect(await take('c3')).toBe('accepted');
    expect(await take('c4')).toBe('channel_full');
    expect(await store.waiting('bot')).toBe(5);
    const [first] = await store.accepted('bot', 'c1', 1);
    await store.close(first?.id ?? '', { status: 'done', error: null, at });
    expect(await take('c1')).toBe('accepted');
  });

  it('keeps no words of a closed message, and never opens it again', async () => {
    const row = message({ files: '[{"ref":"x"}]', reply: 'secret answer' });
    await accept(row);
    await store.close(row.id, { status: 'done', error: null, at: later });
    expect(await store.find(row.id)).toMatchObject({ status: 'done', text: '', files: '[]', reply: null });
    expect(await store.change(row.id, { status: 'running' })).toBe(false);
    expect(await accept(message({ message_id: row.message_id }))).toBe('duplicate');
    await store.forgetClosedBefore(later);
    expect(await store.find(row.id)).toBeDefined();
    await store.forgetClosedBefore('2030-01-03T00:00:00.000Z');
    expect(await store.find(row.id)).toBeUndefined();
  });

  it('writes a change together with what belongs to it, or nothing', async () => {
    const row = message();
    await accept(row);
    const failing = store.change(row.id, { status: 'answered' }, async () => {
      throw new Error('no room for the job');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(await store.find(row.id)).toMatchObject({ status: 'accepted' });
  });

  it('finds messages that were not touched for a while', async () => {
    await accept(message({ text: 'old' }));
    await accept(message({ text: 'fresh', updated_at: later }));
    const open = await store.open({ before: at, limit: 10 });
    expect(open.map(({ text }) => text)).toEqual(['old']);
  });

  it('has one current thread for each user in a chat', async () => {
    await store.beginThread(chat, { threadId: 't1', agentSetup: null, at });
    await store.beginThread(chat, { threadId: 't2', agentSetup: 'Scout', at });
    await store.beginThread({ ...chat, userId: 'bob' }, { threadId: 't3', agentSetup: null, at });
    expect(await store.currentThread(chat)).toMatchObject({ thread_id: 't2', agent_setup: 'Scout' });
    expect(await store.currentThread({ ...chat, userId: 'bob' })).toMatchObject({ thread_id: 't3' });
    expect(await store.currentThread({ ...chat, chatId: 'c2' })).toBeUndefined();
    expect(await store.thread(ada, 't1')).toMatchObject({ is_current: null });
  });

  it('forgets a deleted thread, with the words that wait for it', async () => {
    await store.beginThread(chat, { threadId: 't1', agentSetup: null, at });
    const [open, done] = [
      message({ thread_id: 't1', run_id: 'r1' }),
      message({ thread_id: 't1', run_id: 'r2' }),
    ];
    await accept(open);
    await accept(done);
    await store.close(done.id, { status: 'done', error: null, at });
    await database.write((trx) => forgetChannelThread(trx, { threadId: 't1', at: later }));
    expect(await store.currentThread(chat)).toBeUndefined();
    expect(await store.find(open.id)).toMatchObject({
      status: 'dropped',
      text: '',
      thread_id: null,
      run_id: null,
    });
    expect(await store.find(done.id)).toMatchObject({ status: 'done', thread_id: null });
  });

  it('throws without an owner', async () => {
    const noOwner = undefined as unknown as typeof ada;
    await expect(store.accept(noOwner, message(), { limits, alongside: async () => {} })).rejects.toThrow(
      'owner',
    );
    await expect(store.thread(noOwner, 't1')).rejects.toThrow('owner');
  });
}
