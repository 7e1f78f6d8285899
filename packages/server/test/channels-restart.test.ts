import { FakeTelegram } from '@switchyard/dev-env/fake-telegram';
import { startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { readChannels } from '@switchyard/server/config/channels';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { firstAdmin } from './support/first-admin.ts';

const adaId = 11;
const chatId = 500;

let telegram: FakeTelegram;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  telegram = await FakeTelegram.start();
  folder = temporaryFolder();
});
afterEach(async () => {
  await telegram.close();
  folder.remove();
});

function open(channel: object = {}) {
  const channels = readChannels({
    bot: {
      type: 'telegram',
      token: telegram.token,
      base_url: telegram.url,
      users: { [adaId]: 'ada@example.com' },
      assistant: 'chat',
      edit_interval_ms: 50,
      ...channel,
    },
  });
  const config = { database: { backend: 'sqlite' as const }, agents: fixtureAgents, channels };
  return startGateway({ home: folder.path, config });
}

const texts = () => telegram.shown(chatId).map(({ text }) => text);
const sends = () => telegram.calls.filter(({ method }) => method === 'sendMessage').length;
const say = (text: string) => telegram.say({ chatId, userId: adaId, text });

describe('a message that was accepted', () => {
  it('is answered by the next process when the gateway stops during its run', async () => {
    const first = await open();
    await first.register('ada@example.com');
    const gate = closeGate('restart-run');
    say('count to 3 at gate restart-run before 3');
    await gate.reached;
    await first.stop();
    // From here on Telegram no longer keeps the message, or a repetition is recognised.
    gate.open();
    const second = await open();
    try {
      await expect.poll(texts).toContain('1 2 3');
      const ada = await ConversationCaller.of(
        second.url,
        await HttpSession.login(second.url, { email: 'ada@example.com', password: 'correct horse battery' }),
      );
      const [{ thread_id }] = await ada.ok('POST', '/threads/search', {
        metadata: { chat_id: String(chatId) },
      });
      expect(await ada.ok('GET', `/threads/${thread_id}/runs`)).toMatchObject([{ status: 'success' }]);
      say('after');
      await expect.poll(texts).toContain('You said: after');
      // The message that showed the answer while it was written now holds the whole answer.
      expect(texts()).toEqual(['1 2 3', 'You said: after']);
    } finally {
      await second.stop();
    }
  });

  it('is answered by the next process when the gateway stops between the end of the run and the answer', async () => {
    const first = await open({ stream: false });
    await first.register('ada@example.com');
    telegram.trouble('sendMessage', { hangs: true });
    say('hello');
    await expect.poll(sends).toBe(1);
    await first.stop();
    expect(texts()).toEqual([]);
    const second = await open({ stream: false });
    try {
      await expect.poll(texts).toEqual(['You said: hello']);
    } finally {
      await second.stop();
    }
  });

  it('waits while its channel is switched off', async () => {
    const first = await open({ stream: false });
    await first.register('ada@example.com');
    telegram.trouble('sendMessage', { hangs: true });
    say('hello');
    await expect.poll(sends).toBe(1);
    await first.stop();
    const off = await open({ enabled: false });
    await off.stop();
    expect(texts()).toEqual([]);
    const second = await open();
    try {
      await expect.poll(texts).toEqual(['You said: hello']);
    } finally {
      await second.stop();
    }
  });

  it('is no longer answered once its sender may not use the channel', async () => {
    const first = await open();
    await first.register('ada@example.com');
    await first.stop();
    say('hello');
    const second = await open({ users: { 99: 'ada@example.com' } });
    try {
      await expect.poll(texts).toEqual([expect.stringContaining('You may not use this assistant.')]);
    } finally {
      await second.stop();
    }
  });
});

describe('channels over HTTP', () => {
  it('are listed and restarted by administrators only, without their secrets', async () => {
    const gateway = await open();
    try {
      const bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'));
      for (const [method, path] of [
        ['GET', '/channels/'],
        ['POST', '/channels/bot/restart'],
      ] as const) {
        expect((await bob.call(method, path)).status).toBe(403);
        expect((await gateway.fetch(`/api${path}`, { method })).status).toBe(method === 'GET' ? 401 : 403);
      }
      const admin = await firstAdmin(gateway);
      await expect.poll(() => telegram.polling).toBe(1);
      const { body, text } = await admin.call('GET', '/channels/');
      expect(body).toEqual({
        service_running: true,
        channels: { bot: { type: 'telegram', enabled: true, running: true, error: null, waiting: 0 } },
      });
      expect(text).not.toContain(telegram.token);
      expect((await admin.call('POST', '/channels/bot/restart')).body).toEqual({
        success: true,
        message: 'Channel bot restarted successfully',
      });
      expect(await admin.call('POST', '/channels/none/restart')).toMatchObject({
        status: 404,
        body: { detail: "Channel 'none' not found" },
      });
      expect((await admin.call('POST', '/channels/NO!/restart')).status).toBe(422);
    } finally {
      await gateway.stop();
    }
  });

  it('report what is wrong with one, and answer once after it was restarted', async () => {
    const gateway = await open();
    try {
      await gateway.register('ada@example.com');
      const admin = await firstAdmin(gateway);
      const errorOf = async () => (await admin.call('GET', '/channels/')).body.channels.bot.error;
      await expect.poll(() => telegram.polling).toBe(1);
      telegram.trouble('getUpdates', ...Array.from({ length: 1_000 }, () => ({ status: 409 })));
      await admin.call('POST', '/channels/bot/restart');
      await expect.poll(errorOf).toMatch(/^Another program fetches the messages of this bot/);
      telegram.calmDown();
      await admin.call('POST', '/channels/bot/restart');
      await admin.call('POST', '/channels/bot/restart');
      await expect.poll(errorOf).toBeNull();
      say('hello');
      await expect.poll(texts).toEqual(['You said: hello']);
      await expect.poll(() => telegram.polling).toBe(1);
    } finally {
      await gateway.stop();
    }
  });

  it('never reveal the token, not even when Telegram cannot be reached', async () => {
    const gone = await FakeTelegram.start();
    await gone.close();
    const gateway = await open({ base_url: gone.url });
    try {
      const admin = await firstAdmin(gateway);
      const read = async () => (await admin.call('GET', '/channels/')).text;
      await expect.poll(read).toContain('Telegram cannot be reached (ECONNREFUSED).');
      expect(await read()).not.toContain(telegram.token.split(':')[1]);
    } finally {
      await gateway.stop();
    }
  });
});
