import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeTelegram } from '@switchyard/dev-env/fake-telegram';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const adaId = 11;
const folder = temporaryFolder();
let telegram: FakeTelegram;
let gateway: SpawnedGateway;
let session: HttpSession;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  const channel = {
    type: 'telegram',
    token: telegram.token,
    base_url: telegram.url,
    users: { [adaId]: 'ada@example.com' },
    stream: false,
  };
  // JSON is also YAML.
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    JSON.stringify({ version: 1, channels: { bot: channel } }),
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
  session = await HttpSession.register(gateway.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
});

afterAll(async () => {
  await gateway.stop();
  await telegram.close();
  folder.remove();
});

let chats = 3_000;
const textsIn = (chatId: number) => telegram.shown(chatId).map(({ text }) => text);
const isOut = (chatId: number) =>
  telegram.calls.some(({ method, fields }) => method === 'sendMessage' && fields.chat_id === String(chatId));

describe('a gateway that is killed', () => {
  it.each<[string, (chatId: number) => Promise<unknown>]>([
    ['as the message is handed over', async () => until(() => telegram.polling === 0)],
    ['10 ms later', async () => until(() => telegram.polling === 0).then(() => sleep(10))],
    ['once the message is confirmed', async () => until(() => telegram.pending === 0)],
    ['30 ms into its run', async () => until(() => telegram.pending === 0).then(() => sleep(30))],
    ['150 ms into its run', async () => until(() => telegram.pending === 0).then(() => sleep(150))],
    ['as the answer is on its way', async (chatId) => until(() => isOut(chatId))],
  ])('%s, answers it, by one run and once', async (_when, moment) => {
    chats += 1;
    const chatId = chats;
    await until(() => telegram.polling === 1);
    // Only an answer that Telegram has accepted and the gateway has not recorded may be sent twice, so Telegram accepts
    // none yet.
    telegram.trouble('sendMessage', { hangs: true });
    telegram.say({ chatId, userId: adaId, text: 'what can you do?' });
    await moment(chatId);
    await gateway.kill9();
    telegram.calmDown();
    gateway = await SpawnedGateway.start({ home: folder.path });
    session = session.at(gateway.url);

    await until(() => textsIn(chatId).length > 0);
    telegram.say({ chatId, userId: adaId, text: '/memory' });
    await until(() => textsIn(chatId).length > 1);
    expect(textsIn(chatId)).toEqual([
      expect.stringContaining('scripted, not an AI'),
      'Memory contains 0 fact(s).',
    ]);
    const [thread] = await session.post<{ thread_id: string }[]>('/api/threads/search', {
      metadata: { chat_id: String(chatId) },
    });
    const runs = await session.get<object[]>(`/api/threads/${thread?.thread_id}/runs`);
    expect(runs).toMatchObject([{ status: 'success' }]);
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}
