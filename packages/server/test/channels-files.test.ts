import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeOpenAi, type FakeReply, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { FakeTelegram } from '@switchyard/dev-env/fake-telegram';
import { readChannels } from '@switchyard/server/config/channels';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const adaId = 11;
// A transparent picture of one pixel.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

let telegram: FakeTelegram;
let model: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  telegram = await FakeTelegram.start();
  model = await startFakeOpenAi(({ messages, tools }) =>
    tools.length === 0 ? { text: 'A title' } : reply(messages),
  );
  server = await startConversation({
    models: readModels({ fake: { base_url: model.url, api_key: 'sk-test', model: 'fake-1' } }),
    channels: readChannels({
      bot: {
        type: 'telegram',
        token: telegram.token,
        base_url: telegram.url,
        user: 'ada@example.com',
        allowed_users: [adaId],
        edit_interval_ms: 50,
        max_file_bytes: 2_000,
      },
    }),
  });
  ada = server.ada;
});
afterAll(async () => {
  await server.close();
  await telegram.close();
  await model.close();
});

type Message = { role: string; content: string };

/** `write <name> <size>` writes and presents a file of that size; `present <name>` presents an existing file unchanged. */
function reply(messages: Message[]): FakeReply {
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const done = messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool');
  const [, verb, name = '', size = '1'] = /(write|present) (\S+)(?: (\d+))?$/.exec(asked) ?? [];
  const path = `/mnt/user-data/outputs/${name}`;
  const id = `call_${messages.length}`;
  if (verb === 'write' && done.length === 0) {
    const args = { description: 'test', path, content: 'x'.repeat(Number(size)) };
    return { calls: [{ id, name: 'write_file', args }] };
  }
  if (verb !== undefined && done.length < (verb === 'write' ? 2 : 1)) {
    return { calls: [{ id, name: 'present_files', args: { filepaths: [path] } }] };
  }
  return { text: verb === undefined ? `I read: ${asked}` : 'Here it is.' };
}

let chats = 2_000;
const newChat = () => {
  chats += 1;
  return chats;
};
const shown = (chatId: number) =>
  telegram
    .shown(chatId)
    .map(({ text, filename, bytes }) => (filename ? `${filename}: ${bytes?.length}` : text));
const answered = (chatId: number, expected: unknown) => expect.poll(() => shown(chatId)).toEqual(expected);
const lastSent = () => telegram.calls.findLast(({ method }) => method.startsWith('send'));
const threadOf = async (chatId: number) =>
  (await ada.ok('POST', '/threads/search', { metadata: { chat_id: String(chatId) } }))[0].thread_id;

describe('a file that the agent makes', () => {
  it('is sent once with the answer, and again when it is presented again', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'write report.txt 10' });
    await answered(chatId, ['Here it is.\n\nFiles: report.txt', 'report.txt: 10']);
    telegram.say({ chatId, userId: adaId, text: 'thanks' });
    await answered(chatId, ['Here it is.\n\nFiles: report.txt', 'report.txt: 10', 'I read: thanks']);
    telegram.say({ chatId, userId: adaId, text: 'present report.txt' });
    await expect
      .poll(() => shown(chatId).slice(3))
      .toEqual(['Here it is.\n\nFiles: report.txt', 'report.txt: 10']);
  });

  it('is only named when it is too large', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'write large.txt 2001' });
    await answered(chatId, ['Here it is.\n\nNot sent: large.txt (too large)']);
  });

  it('is sent as a picture when it is one, and as a document when Telegram does not accept it as a picture', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: 'hello' });
    await answered(chatId, ['I read: hello']);
    const threadId = await threadOf(chatId);
    const outputs = join(
      server.gateway.home,
      'users',
      ada.userId,
      'threads',
      threadId,
      'user-data',
      'outputs',
    );
    mkdirSync(outputs, { recursive: true });
    writeFileSync(join(outputs, 'dot.png'), png);

    telegram.say({ chatId, userId: adaId, text: 'present dot.png' });
    await expect
      .poll(() => shown(chatId).slice(1))
      .toEqual(['Here it is.\n\nFiles: dot.png', `dot.png: ${png.length}`]);
    expect(lastSent()).toMatchObject({ method: 'sendPhoto', fields: { chat_id: String(chatId) } });
    telegram.trouble('sendPhoto', { status: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' });
    telegram.say({ chatId, userId: adaId, text: 'present dot.png' });
    await expect.poll(() => shown(chatId).length).toBe(5);
    expect(lastSent()).toMatchObject({ method: 'sendDocument', file: { filename: 'dot.png' } });
  });

  it('is not sent twice when sending the rest has to be tried again', async () => {
    const chatId = newChat();
    telegram.trouble('sendDocument', { status: 500 });
    telegram.say({ chatId, userId: adaId, text: 'write twice.txt 5' });
    await answered(chatId, ['Here it is.\n\nFiles: twice.txt', 'twice.txt: 5']);
  });
});

describe('a file that comes in', () => {
  it('is shown to the agent as a path, and to clients as an attachment', async () => {
    const chatId = newChat();
    telegram.say({
      chatId,
      userId: adaId,
      text: 'see',
      document: { name: 'a.txt', bytes: Buffer.from('abc') },
    });
    await expect.poll(() => shown(chatId)[0]).toContain('Path: /mnt/user-data/uploads/a.txt');
    const { values } = await ada.ok('GET', `/threads/${await threadOf(chatId)}/state`);
    expect(values.messages[0].additional_kwargs.files).toEqual([
      { filename: 'a.txt', size: 3, path: '/mnt/user-data/uploads/a.txt', status: 'uploaded' },
    ]);
  });

  it('is left out when it is too large for the channel', async () => {
    const chatId = newChat();
    telegram.say({
      chatId,
      userId: adaId,
      text: 'see',
      document: { name: 'big.txt', bytes: Buffer.alloc(2_001) },
    });
    await answered(chatId, ['I read: Failed to obtain: big.txt (it is too large)\n\nsee']);
    expect((await ada.ok('GET', `/threads/${await threadOf(chatId)}/uploads/list`)).files).toEqual([]);
  });
});

describe('a custom agent', () => {
  it('is set up in a separate conversation', async () => {
    const chatId = newChat();
    telegram.say({ chatId, userId: adaId, text: '/bootstrap ../x' });
    await answered(chatId, [expect.stringContaining('Name the agent with letters')]);
    telegram.say({ chatId, userId: adaId, text: '/bootstrap Scout' });
    await expect.poll(() => shown(chatId)[1]).toContain('What should "Scout" be for');
    telegram.say({ chatId, userId: adaId, text: 'finding things' });
    await expect.poll(() => shown(chatId)[2]).toBe('I read: finding things');
    const last = model.requests.findLast(({ tools }) => tools.length > 0);
    expect(last?.tools).toContain('setup_agent');
    telegram.say({ chatId, userId: adaId, text: '/new' });
    telegram.say({ chatId, userId: adaId, text: 'and now' });
    await expect.poll(() => shown(chatId)[4]).toBe('I read: and now');
    expect(model.requests.findLast(({ tools }) => tools.length > 0)?.tools).not.toContain('setup_agent');
  });
});
