import { describe, expect, it } from 'vitest';
import { maskedChannels, readChannels } from './channels.ts';
import { ConfigError } from './faults.ts';
import { loadConfig } from './load.ts';

const token = '123456:ABCDEF-ghijklmnop_qrstuvwx';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const bot = { type: 'telegram', token, users: { '11': 'ada@example.com' } };
const desk = { type: 'http', secret, url: 'https://desk.example/in', user: 'ada', allowed_users: ['*'] };

describe('channels', () => {
  it('can be written as a list, or as a map keyed by name', () => {
    expect(readChannels({ bot })).toEqual(readChannels([{ name: 'bot', ...bot }]));
    expect(readChannels({ bot, desk })).toMatchObject([
      {
        name: 'bot',
        enabled: true,
        assistant: 'lead_agent',
        base_url: 'https://api.telegram.org',
        groups: false,
      },
      { name: 'desk', private_addresses: false, recursion_limit: 100 },
    ]);
  });

  it('accept the ids of senders as numbers too', () => {
    const [channel] = readChannels({
      bot: { type: 'telegram', token, user: 'ada', allowed_users: [11, '22'] },
    });
    expect(channel?.allowed_users).toEqual(['11', '22']);
  });

  it.each([
    ['text', 'a list of channels, or a map'],
    [{ Bot: bot }, '.Bot.name must be a name of small letters'],
    [[bot], '[0].name is missing'],
    [{ bot: { ...bot, type: 'pigeon' } }, '.bot.type must be one of telegram, http'],
    [{ bot: { users: bot.users } }, '.bot.type is missing'],
    [{ bot: { ...bot, tokne: 'x' } }, '.bot has the unknown key "tokne"; did you mean token?'],
    [{ bot: { ...bot, token: 'hunter2' } }, '.bot.token must be the token that BotFather gave'],
    [{ bot: { type: 'telegram', users: bot.users } }, '.bot.token is missing'],
    [
      { bot: { ...bot, base_url: 'https://api.telegram.org/x' } },
      '.bot.base_url must be scheme, host and port only',
    ],
    [{ bot: { ...bot, url: 'https://x.example' } }, '.bot.url is for channels of type http'],
    [{ desk: { ...desk, groups: true } }, '.desk.groups is for channels of type telegram'],
    [{ desk: { ...desk, secret: 'hunter2' } }, '.desk.secret must be whsec_'],
    [{ desk: { ...desk, secret: 'whsec_c2hvcnQ=' } }, '.desk.secret must be whsec_ and 24 to 64 bytes'],
    [{ desk: { type: 'http', secret, user: 'a', allowed_users: ['*'] } }, '.desk.url is missing'],
    [{ desk: { type: 'http', url: desk.url, user: 'a', allowed_users: ['*'] } }, '.desk.secret is missing'],
    [{ bot: { type: 'telegram', token } }, '.bot.user is missing'],
    [{ bot: { type: 'telegram', token, user: 'ada' } }, '.bot.allowed_users is missing'],
    [{ bot: { ...bot, allowed_users: ['11'] } }, '.bot.allowed_users is for .bot.user, which is missing'],
    [{ bot: { ...bot, users: { '*': 'ada' } } }, '.bot.users must map ids of senders'],
    [{ bot: { ...bot, users: { '11': 5 } } }, '.bot.users must map ids of senders'],
    [
      { bot: { ...bot, edit_interval_ms: 1 } },
      '.bot.edit_interval_ms must be a whole number, from 50 to 60000',
    ],
    [{ bot: { ...bot, context: 'x' } }, '.bot.context must hold keys'],
    [
      [
        { name: 'a', ...bot },
        { name: 'a', ...bot },
      ],
      'two channels of the name "a"',
    ],
    [{ a: bot, b: bot }, '.b.token is the same as that of a; each needs its own'],
    [{ a: desk, b: desk }, '.b.secret is the same as that of a'],
    [Array.from({ length: 21 }, () => bot), 'has 21 entries; 20 are the limit'],
  ])('refuse %j', (data, message) => {
    expect(() => readChannels(data)).toThrow(RangeError);
    expect(() => readChannels(data)).toThrow(message);
  });

  it('never quote a secret that is refused', () => {
    for (const data of [{ bot: { ...bot, token: 'hunter2' } }, { desk: { ...desk, secret: 'hunter2' } }]) {
      expect(() => readChannels(data)).not.toThrow('hunter2');
    }
  });

  it('are shown without their secrets', () => {
    const shown = maskedChannels(readChannels({ bot, desk: { ...desk, context: { key: 'hunter3' } } }));
    expect(shown).toMatchObject([
      { token: '***', secret: null },
      { secret: '***', context: { key: '***' } },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/hunter|whsec_|ABCDEF/);
  });

  it('come from the environment as JSON', () => {
    const env = { SWITCHYARD__CHANNELS: JSON.stringify({ bot }) };
    expect(loadConfig({ env, cwd: '/nowhere' }).config.channels).toMatchObject([{ name: 'bot', token }]);
    const broken = { SWITCHYARD__CHANNELS: '{"bot":{"type":"telegram"}}' };
    expect(() => loadConfig({ env: broken, cwd: '/nowhere' })).toThrow(ConfigError);
    expect(() => loadConfig({ env: broken, cwd: '/nowhere' })).toThrow('.bot.token is missing');
  });
});
