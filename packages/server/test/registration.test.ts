import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryCounters } from '../src/platform/counters/memory-counters.ts';
import { AccountsServer, type ServerOptions } from './support/accounts-server.ts';
import { Client, firstAdmin, newUser } from './support/client.ts';

const open: AccountsServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(options: ServerOptions = {}): Promise<AccountsServer> {
  const server = await AccountsServer.start(options);
  open.push(server);
  return server;
}

describe('registering', () => {
  test('creates an ordinary account and signs in', async () => {
    const client = new Client(await start());
    const answer = await client.register(' Ada@Example.com ');
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4/),
        email: 'ada@example.com',
        system_role: 'user',
        needs_setup: false,
        oauth_provider: null,
      },
    ]);
    expect((await client.me()).status).toBe(200);
  });

  test('ignores requested rights', async () => {
    const client = new Client(await start());
    const body = {
      email: 'ada@example.com',
      password: 'correct horse',
      system_role: 'admin',
      id: 'chosen',
      disabled: 0,
    };
    const answer = await client.post('/api/v1/auth/register', { body });
    expect(answer.body).toMatchObject({ system_role: 'user', id: expect.not.stringMatching('chosen') });
    expect(answer.headers['x-ignored-fields']).toBe('system_role, id, disabled');
  });

  test('refuses an address that is taken, in any case, with no cookie', async () => {
    const server = await start();
    await newUser(server, 'ada@example.com');
    const answer = await new Client(server).register('ADA@example.com');
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: { code: 'email_already_exists', message: 'Email already registered' } },
    ]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('gives an address to only one of many requests at once', async () => {
    const server = await start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => new Client(server).register('ada@example.com')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
  });

  test('is refused when it is closed, while administrators can still create accounts', async () => {
    const server = await start({ registration: 'closed' });
    const answer = await new Client(server).register('ada@example.com');
    expect([answer.status, answer.body.detail.code]).toEqual([403, 'registration_disabled']);
    const status = await new Client(server).get('/api/v1/auth/setup-status');
    expect(status.body).toMatchObject({ needs_setup: true, registration_enabled: false });
    const admin = await firstAdmin(server);
    expect((await admin.post('/api/v1/users', { body: { email: 'ada@example.com' } })).status).toBe(201);
  });

  test('from one address is limited per hour', async () => {
    const counters = new MemoryCounters({ clock: () => 0 });
    const server = await start({ counters });
    const window = { limit: 600, windowMs: 3_600_000 };
    for (let i = 0; i < 599; i += 1) await counters.countCall('register:127.0.0.1', window);
    expect((await new Client(server).register('last@example.com')).status).toBe(201);
    const refused = await new Client(server).register('one-more@example.com');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3600']);
    expect((await new Client(server, { ip: '203.0.113.5' }).register('one-more@example.com')).status).toBe(
      201,
    );
  });
});

describe('a password', () => {
  async function refusal(password: unknown, options: ServerOptions = {}) {
    const body = { email: 'ada@example.com', password };
    const answer = await new Client(await start(options)).post('/api/v1/auth/register', { body });
    return [answer.status, answer.body];
  }

  test('on the list of common ones is refused with the documented text', async () => {
    expect(await refusal('password1')).toMatchObject([
      422,
      {
        detail: [
          {
            type: 'value_error',
            loc: ['body', 'password'],
            msg: 'Value error, Password is too common; choose a stronger password.',
            input: 'password1',
            ctx: { error: {} },
          },
        ],
      },
    ]);
  });

  test('that is too short is refused for its length first', async () => {
    expect(await refusal('abc123')).toMatchObject([
      422,
      {
        detail: [
          {
            type: 'string_too_short',
            loc: ['body', 'password'],
            msg: 'String should have at least 8 characters',
            input: 'abc123',
            ctx: { min_length: 8 },
          },
        ],
      },
    ]);
  });

  test('that is missing, or not a text, is refused', async () => {
    expect(await refusal(undefined)).toMatchObject([
      422,
      { detail: [{ type: 'missing', msg: 'Field required' }] },
    ]);
    expect(await refusal(12345678)).toMatchObject([422, { detail: [{ type: 'string_type' }] }]);
  });

  test('may have 1,024 bytes but not one more', async () => {
    expect((await refusal('é'.repeat(513)))[0]).toBe(422);
    expect((await refusal('é'.repeat(512)))[0]).toBe(201);
  });

  test('from a larger list is refused too', async () => {
    const home = mkdtempSync(join(tmpdir(), 'switchyard-list-'));
    const commonPasswordsFile = join(home, 'common.txt');
    writeFileSync(commonPasswordsFile, 'Correct Horse Battery Staple\n');
    expect((await refusal('correct horse battery staple', { commonPasswordsFile }))[0]).toBe(422);
    rmSync(home, { recursive: true });
    await expect(start({ commonPasswordsFile })).rejects.toThrow(
      /auth\.password_blocklist_file.*common\.txt/,
    );
  });

  test('and an address that are both wrong are both reported', async () => {
    const client = new Client(await start());
    const answer = await client.register('nonsense', 'password');
    expect(answer.body.detail.map((fault: { loc: string[] }) => fault.loc)).toEqual([
      ['body', 'email'],
      ['body', 'password'],
    ]);
    expect(answer.body.detail[0]).toMatchObject({
      type: 'value_error',
      msg: 'value is not a valid email address: An email address must have an @-sign.',
    });
  });
});
