import { FakeTelegram } from '@switchyard/dev-env/fake-telegram';
import { readChannels } from '@switchyard/server/config/channels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChannelTables } from '../src/channels/tables.ts';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const [adaId, bobId, strangerId] = [11, 22, 33];

let telegram: FakeTelegram;
let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  telegram = await FakeTelegram.start();
  server = await startConversation({
    channels: readChannels({
      bot: {
        type: 'telegram',
        token: telegram.token,
        base_url: telegram.url,
        users: { [adaId]: 'Ada@example.com', [bobId]: 'bob@example.com' },
        assistant: 'chat',
        edit_interval_ms: 50,
      },
    }),
  });
  [ada, bob] = [server.ada, server.bob];
});
afterAll(async () => {
  await server.close();
  await telegram.close();
});

const calls = (name: string) => telegram.calls.filter(({ method }) => method === name).length;
let chats = 1_000;
const newChat = () => {
  chats += 1;
  return chats;
};
const textsIn = (chatId: number) => telegram.shown(chatId).map(({ text }) => text);
const answered = (chatId: number, texts: unknown) => expect.poll(() => textsIn(chatId)).toEqual(texts);
const threadsOf = (caller: ConversationCaller, chatId: number) =>
  caller.ok('POST', '/threads/search', { metadata: { chat_id: String(chatId) } });

describe('a chat', () => {
  it('is answered by the agent, one message after the other in one thread of its user', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'hello' });
    await answered(chatId, ['You said: hello']);
    telegram.say({ chatId, userId: adaId, text: 'more' });
    telegram.say({ chatId, userId: adaId, text: 'and more' });
    await answered(chatId, ['You said: hello', 'You said: more', 'You said: and more']);

    const [thread, ...others] = await threadsOf(ada, chatId);
    expect(others).toEqual([]);
    const runs = await ada.ok('GET', `/threads/${thread.thread_id}/runs`);
    expect(runs.map(({ status }: { status: string }) => status)).toEqual(['success', 'success', 'success']);
  });

  it('goes on with the assistant that its user has chosen in its thread elsewhere', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'hello' });
    await answered(chatId, ['You said: hello']);
    const [{ thread_id: threadId }] = await threadsOf(ada, chatId);
    await ada.wait(threadId, { assistant_id: 'counted', input: says('one') });
    telegram.say({ chatId, userId: adaId, text: 'two' });
    await answered(chatId, ['You said: hello', 'You said: two']);
    const runs = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(runs.map(({ assistant_id: id }: { assistant_id: string }) => id)).toEqual([
      'counted',
      'counted',
      'chat',
    ]);
  });

  it('belongs to its user alone: two users of one chat have separate threads, and neither sees the other’s', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'from ada' });
    telegram.say({ chatId, userId: bobId, text: 'from bob' });
    await expect.poll(() => textsIn(chatId).sort()).toEqual(['You said: from ada', 'You said: from bob']);

    const [hers] = await threadsOf(ada, chatId);
    const [his] = await threadsOf(bob, chatId);
    expect(hers.thread_id).not.toBe(his.thread_id);
    expect((await bob.get(`/threads/${hers.thread_id}`)).status).toBe(404);
    expect(JSON.stringify(await bob.ok('GET', `/threads/${his.thread_id}/state`))).not.toContain('from ada');
  });

  it('shows an answer while it is written, in the message that becomes the answer', async () => {
    const chatId = newChat();
    const gate = closeGate('telegram-live');
    telegram.say({ chatId, userId: adaId, text: 'count to 4 at gate telegram-live before 3' });
    await answered(chatId, ['1 2 …']);
    gate.open();
    await answered(chatId, ['1 2 3 4']);
    expect(telegram.shown(chatId)).toMatchObject([{ edits: expect.any(Number) }]);
  });

  it('gets a long answer in several messages', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'count to 2000' });
    const whole = Array.from({ length: 2000 }, (_, index) => index + 1).join(' ');
    await expect.poll(() => textsIn(chatId).join(' ')).toBe(whole);
    for (const text of textsIn(chatId)) expect(text.length).toBeLessThanOrEqual(4_096);
  });

  it('puts its files into the thread, and their paths into the text', async () => {
    const chatId = newChat();
    const bytes = Buffer.from('a,b\n1,2\n');
    telegram.say({ chatId, userId: adaId, text: 'look', document: { name: 'table.csv', bytes } });
    await expect.poll(() => textsIn(chatId)[0]).toContain('look');
    expect(textsIn(chatId)[0]).toContain(
      '- table.csv (0.0 KB)\n  Type: file\n  Path: /mnt/user-data/uploads/table.csv',
    );

    telegram.say({ chatId, userId: adaId, document: { name: 'table.csv', bytes: Buffer.from('other') } });
    await expect.poll(() => textsIn(chatId)[1]).toContain('/mnt/user-data/uploads/table_1.csv');
    telegram.say({ chatId, userId: adaId, photo: Buffer.from('picture') });
    await expect.poll(() => textsIn(chatId)[2]).toContain('Type: image');

    const [{ thread_id }] = await threadsOf(ada, chatId);
    const { files } = await ada.ok('GET', `/threads/${thread_id}/uploads/list`);
    expect(files.map(({ filename }: { filename: string }) => filename)).toEqual([
      expect.stringMatching(/^photo_\d+\.jpg$/),
      'table.csv',
      'table_1.csv',
    ]);
    const stored = await server.gateway.fetch(
      `/api/threads/${thread_id}/artifacts/mnt/user-data/uploads/table.csv`,
      { headers: { 'x-api-key': ada.token } },
    );
    expect(await stored.text()).toBe('a,b\n1,2\n');
  });

  it('handles an album, whose pictures come one by one, as one message', async () => {
    const chatId = newChat();
    telegram.onBatch = () => {
      telegram.onBatch = () => undefined;
      telegram.say({ chatId, userId: adaId, photo: Buffer.from('two'), album: 'a1' });
    };
    telegram.say({ chatId, userId: adaId, photo: Buffer.from('one'), album: 'a1', text: 'compare' });
    await expect
      .poll(() => textsIn(chatId))
      .toEqual([expect.stringMatching(/photo_\d+.*photo_\d+.*compare$/s)]);
  });

  it('continues without a file that cannot be fetched', async () => {
    const chatId = newChat();
    telegram.trouble('getFile', { status: 400, description: 'Bad Request: file is too big' });
    telegram.say({
      chatId,
      userId: adaId,
      text: 'look',
      document: { name: 'big.bin', bytes: Buffer.from('x') },
    });
    await answered(chatId, ['You said: Failed to obtain: big.bin (it could not be fetched)\n\nlook']);
  });

  it('can have its answer stopped', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: '/new' });
    await answered(chatId, ['New conversation started.']);
    const [{ thread_id }] = await threadsOf(ada, chatId);
    const gate = closeGate('telegram-stop');
    telegram.say({ chatId, userId: adaId, text: 'count to 4 at gate telegram-stop before 1' });
    await gate.reached;
    telegram.say({ chatId, userId: adaId, text: '/stop' });
    await expect.poll(() => textsIn(chatId).slice(1).sort()).toEqual(['Stopped.', 'Stopping.']);
    gate.open();
    const [run] = await ada.ok('GET', `/threads/${thread_id}/runs`);
    expect(run.status).toBe('interrupted');
  });
});

describe('commands', () => {
  it('begin another thread, and report on the current one', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'first' });
    await answered(chatId, ['You said: first']);
    telegram.say({ chatId, userId: adaId, text: '/new' });
    telegram.say({ chatId, userId: adaId, text: 'second' });
    await answered(chatId, ['You said: first', 'New conversation started.', 'You said: second']);
    expect(await threadsOf(ada, chatId)).toHaveLength(2);
    telegram.say({ chatId, userId: adaId, text: '/status@some_bot' });
    await expect
      .poll(() => textsIn(chatId)[3])
      .toMatch(/^Active thread: [\w-]+\nTitle: .*\nStatus: idle\nLast run: success$/);
  });

  it.each([
    ['/models', /^Available models:\n- \S+.*\[default\]$/],
    ['/memory', /^Memory contains 0 fact\(s\)\.$/],
    ['/help', /\/new - begin a new conversation/],
    ['/start', /\/new - begin a new conversation/],
    ['/status', /^No active conversation\.$/],
    ['/stop', /^Nothing is running\.$/],
    ['/dance now', /^Unknown command: \/dance\. Available commands: \/new, /],
  ])('%s', async (text, answer) => {
    const chatId = newChat();
    telegram.say({ chatId, userId: bobId, text });
    await expect.poll(() => textsIn(chatId)).toEqual([expect.stringMatching(answer)]);
  });
});

describe('a sender who is not let in', () => {
  it('is told so once, and nothing else happens', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: strangerId, text: 'let me in' });
    telegram.say({ chatId, userId: strangerId, text: 'please' });
    const known = newChat();
    telegram.say({ chatId: known, userId: adaId, text: 'after them' });
    await answered(known, ['You said: after them']);
    expect(textsIn(chatId)).toEqual([
      'You may not use this assistant. Ask the administrator to allow the user 33.',
    ]);
  });

  it('gets no answer in a group, unless the channel is for groups', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'hello all', chatType: 'group' });
    const known = newChat();
    telegram.say({ chatId: known, userId: adaId, text: 'after' });
    await answered(known, ['You said: after']);
    expect(textsIn(chatId)).toEqual([]);
  });
});

describe('a repeated delivery', () => {
  it('starts no second run', async () => {
    const chatId = newChat();
    const messageId = telegram.say({ chatId, userId: adaId, text: 'once' });
    await answered(chatId, ['You said: once']);
    telegram.say({ chatId, userId: adaId, text: 'once', messageId });
    telegram.say({ chatId, userId: adaId, text: 'next' });
    await answered(chatId, ['You said: once', 'You said: next']);
    const [{ thread_id }] = await threadsOf(ada, chatId);
    expect(await ada.ok('GET', `/threads/${thread_id}/runs`)).toHaveLength(2);
  });
});

describe('Telegram with a problem', () => {
  it('holds up one chat only', async () => {
    const [stuck, other] = [newChat(), newChat()];
    const before = calls('getFile');
    telegram.trouble('getFile', { hangs: true });
    telegram.say({ chatId: stuck, userId: adaId, document: { name: 'a.txt', bytes: Buffer.from('a') } });
    await expect.poll(() => calls('getFile')).toBe(before + 1);
    for (let index = 0; index < 8; index += 1) {
      telegram.say({ chatId: stuck, userId: adaId, text: `${index}` });
    }
    await expect.poll(() => telegram.pending).toBe(0);
    telegram.say({ chatId: other, userId: bobId, text: 'me too' });
    await answered(other, ['You said: me too']);
    expect(textsIn(stuck)).toEqual([]);
  });

  it('is left alone for as long as it asks for', async () => {
    const chatId = newChat();
    telegram.trouble('sendMessage', { status: 429, description: 'Too Many Requests', retryAfter: 1 });
    telegram.say({ chatId, userId: adaId, text: '/memory' });
    await answered(chatId, ['Memory contains 0 fact(s).']);
  });

  it('is asked again after an error of its own', async () => {
    const chatId = newChat();
    telegram.trouble('sendMessage', { status: 502 });
    telegram.trouble('getUpdates', { status: 500 });
    telegram.say({ chatId, userId: adaId, text: '/memory' });
    await answered(chatId, ['Memory contains 0 fact(s).']);
  });

  it('is asked again without harm when it does not answer a change that it has made', async () => {
    const chatId = newChat();
    const gate = closeGate('telegram-cut');
    telegram.say({ chatId, userId: adaId, text: 'count to 4 at gate telegram-cut before 3' });
    await answered(chatId, ['1 2 …']);
    telegram.trouble('editMessageText', { cut: true });
    const before = calls('editMessageText');
    gate.open();
    await expect.poll(() => calls('editMessageText') - before).toBeGreaterThanOrEqual(2);
    await answered(chatId, ['1 2 3 4']);
  });

  it('gets the answer in a new message when it has lost the one that shows it', async () => {
    const chatId = newChat();
    const gate = closeGate('telegram-lost');
    telegram.say({ chatId, userId: adaId, text: 'count to 4 at gate telegram-lost before 3' });
    await answered(chatId, ['1 2 …']);
    for (const message of telegram.shown(chatId)) telegram.remove(message);
    gate.open();
    await answered(chatId, ['1 2 3 4']);
  });

  it('is not asked again about a chat that it refuses for ever', async () => {
    const chatId = newChat();
    telegram.trouble('sendMessage', { status: 403, description: 'Forbidden: bot was blocked by the user' });
    const before = calls('sendMessage');
    telegram.say({ chatId, userId: adaId, text: '/memory' });
    const { read } = server.gateway.context.database.withTables<ChannelTables>();
    const rows = read.selectFrom('channel_messages').where('chat_id', '=', String(chatId));
    await expect
      .poll(() => rows.select(['status', 'error', 'text']).execute())
      .toEqual([
        {
          status: 'failed',
          error: 'Telegram answered 403 to sendMessage: Forbidden: bot was blocked by the user.',
          text: '',
        },
      ]);
    expect(calls('sendMessage')).toBe(before + 1);
  });
});
