import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser } from './support/client.ts';

let server: AccountsServer;
beforeEach(async () => {
  server = await AccountsServer.start({ trusted: ['10.0.0.0/8'] });
  await newUser(server, 'ada@example.com');
});
afterEach(() => server.close());

const wrong = 'not the password';

async function statuses(
  client: Client,
  times: number,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < times; i += 1)
    seen.push((await client.login('ada@example.com', wrong, headers)).status);
  return seen;
}

describe('five wrong passwords', () => {
  test('lock the address for five minutes, even for the right password', async () => {
    const client = new Client(server);
    expect(await statuses(client, 5)).toEqual([401, 401, 401, 401, 401]);
    const refused = await client.login('ada@example.com');
    expect([refused.status, refused.body]).toEqual([
      429,
      { detail: 'Too many login attempts. Try again later.' },
    ]);
    expect(refused.headers['retry-after']).toBe('300');
    server.time.jump(300_000);
    expect((await client.login('ada@example.com')).status).toBe(200);
  });

  test('lock both logins, whichever received them', async () => {
    const client = new Client(server);
    await statuses(client, 3);
    for (let i = 0; i < 2; i += 1) await client.dispatchLogin('ada@example.com', wrong);
    expect((await client.login('ada@example.com')).status).toBe(429);
    const dispatch = await client.dispatchLogin('ada@example.com');
    expect(dispatch.status).toBe(429);
    expect(dispatch.body).toMatchObject({ code: 429, error: 'login_locked', data: null });
    expect(dispatch.headers['retry-after']).toBe('300');
  });

  test('do not lock the account for its owner elsewhere', async () => {
    await statuses(new Client(server, { ip: '203.0.113.66' }), 6);
    expect((await new Client(server, { ip: '203.0.113.1' }).login('ada@example.com')).status).toBe(200);
  });

  test('lock nothing else in an existing session', async () => {
    const session = await newUser(server, 'bob@example.com');
    await statuses(new Client(server), 6);
    expect((await session.me()).status).toBe(200);
  });

  test('cannot be spread over several names', async () => {
    const client = new Client(server);
    for (let i = 0; i < 5; i += 1) await client.login(`nobody-${i}@example.com`, wrong);
    expect((await client.login('ada@example.com')).status).toBe(429);
  });

  test('are not forgotten after a login to another account', async () => {
    const client = new Client(server);
    await newUser(server, 'attacker@example.com');
    await statuses(client, 4);
    expect((await client.login('attacker@example.com')).status).toBe(200);
    expect(await statuses(client, 2)).toEqual([401, 429]);
  });

  test('are forgotten when the owner uses the right password before the fifth', async () => {
    const client = new Client(server);
    await statuses(client, 4);
    await client.login('ada@example.com');
    expect(await statuses(client, 5)).toEqual([401, 401, 401, 401, 401]);
  });
});

describe('the client', () => {
  test.each(['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip'])(
    'cannot look like many clients by sending %s',
    async (header) => {
      const client = new Client(server, { ip: '203.0.113.66' });
      for (let i = 0; i < 5; i += 1) {
        await client.login('ada@example.com', wrong, { [header]: `198.51.100.${i}` });
      }
      const answer = await client.login('ada@example.com', wrong, { [header]: '198.51.100.99' });
      expect(answer.status).toBe(429);
    },
  );

  test('is the address that a trusted proxy names, in any spelling', async () => {
    const proxy = new Client(server, { ip: '10.0.0.1' });
    for (const spelling of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      ' 203.0.113.7',
      '203.000.113.007',
      '::ffff:cb00:7107',
    ]) {
      expect((await proxy.login('ada@example.com', wrong, { 'x-real-ip': spelling })).status).toBe(401);
    }
    expect((await proxy.login('ada@example.com', wrong, { 'x-real-ip': '203.0.113.7' })).status).toBe(429);
    expect((await proxy.login('ada@example.com', wrong, { 'x-real-ip': '203.0.113.8' })).status).toBe(401);
  });

  test('is the proxy itself when X-Real-IP is not an address', async () => {
    const proxy = new Client(server, { ip: '10.0.0.1' });
    for (let i = 0; i < 5; i += 1)
      await proxy.login('ada@example.com', wrong, { 'x-real-ip': `client-${i}` });
    expect((await proxy.login('ada@example.com', wrong)).status).toBe(429);
  });

  test('on IPv6 is its /64', async () => {
    const proxy = new Client(server, { ip: '10.0.0.1' });
    for (let i = 0; i < 5; i += 1) {
      await proxy.login('ada@example.com', wrong, { 'x-real-ip': `2001:db8:1:2::${i}` });
    }
    expect(
      (await proxy.login('ada@example.com', wrong, { 'x-real-ip': '2001:db8:1:2:ffff::1' })).status,
    ).toBe(429);
    expect((await proxy.login('ada@example.com', wrong, { 'x-real-ip': '2001:db8:1:3::1' })).status).toBe(
      401,
    );
  });
});

describe('many attempts at once', () => {
  test('get no more guesses than sequential attempts', async () => {
    const client = new Client(server);
    const guesses = Array.from({ length: 50 }, () => client.login('ada@example.com', wrong));
    const answers = await Promise.all(guesses);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(45);
    expect((await client.login('ada@example.com')).headers['retry-after']).toBe('300');
  });

  test('from one office are admitted a few at a time, and no one is locked out', async () => {
    const logins = Array.from({ length: 8 }, () => new Client(server).login('ada@example.com'));
    const answers = await Promise.all(logins);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(['1', '1', '1']);
    expect((await new Client(server).login('ada@example.com')).status).toBe(200);
  });
});
