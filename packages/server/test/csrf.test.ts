import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser, rightPassword } from './support/client.ts';

let server: AccountsServer;
let ada: Client;
beforeEach(async () => {
  server = await AccountsServer.start();
  ada = await newUser(server, 'ada@example.com');
});
afterEach(() => server.close());

const missing = { detail: 'CSRF token missing. Include X-CSRF-Token header.' };
const mismatch = { detail: 'CSRF token mismatch.' };

describe('a request that changes something', () => {
  test('needs the header, and a stranger is told that first', async () => {
    const cookie = ada.cookieHeader();
    const bare = await new Client(server).post('/api/threads', { body: {}, headers: { cookie } });
    expect([bare.status, bare.body]).toEqual([403, missing]);
    const stranger = await new Client(server).post('/api/threads', { body: {} });
    expect([stranger.status, stranger.body]).toEqual([403, missing]);
    expect((await ada.post('/api/threads', { body: {} })).status).toBe(200);
  });

  test('needs the value of this session, even if header and cookie agree', async () => {
    const bob = await newUser(server, 'bob@example.com');
    ada.cookies.set('csrf_token', bob.cookies.get('csrf_token') ?? '');
    const answer = await ada.post('/api/threads', { body: {} });
    expect([answer.status, answer.body]).toEqual([403, mismatch]);
  });

  test('is refused when the header is not the cookie', async () => {
    const answer = await ada.post('/api/threads', { body: {}, headers: { 'x-csrf-token': 'other' } });
    expect([answer.status, answer.body]).toEqual([403, mismatch]);
  });

  test('on dispatch with the console’s cookie needs it too', async () => {
    expect((await ada.post('/api/tasks', { body: {} })).status).toBe(200);
    const headers = { cookie: `access_token=${ada.cookies.get('access_token')}` };
    const answer = await new Client(server).post('/api/tasks', { body: {}, headers });
    expect([answer.status, answer.body.error]).toEqual([403, 'csrf_missing']);
  });
});

describe('the origin of an exempt request', () => {
  test.each([
    ['/api/v1/auth/login/local', { form: { username: 'ada@example.com', password: rightPassword } }],
    ['/api/v1/auth/register', { body: { email: 'eve@example.com', password: rightPassword } }],
    ['/api/v1/auth/initialize', { body: { email: 'eve@example.com', password: rightPassword } }],
    ['/api/v1/auth/logout', {}],
    ['/api/auth/login', { body: { username: 'ada@example.com', password: rightPassword } }],
  ])('%s must be our own', async (url, sent) => {
    const foreign = await new Client(server).post(url, {
      ...sent,
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect(JSON.stringify(foreign.body)).toContain('Cross-site auth request denied.');
    const own = await new Client(server).post(url, { ...sent, headers: { origin: 'http://localhost:80' } });
    expect(own.status).toBeLessThan(300);
  });

  test('is not our own when a foreign name was pointed at this machine', async () => {
    const rebound = { host: 'evil.example:7300', origin: 'http://evil.example:7300' };
    const body = { email: 'eve@example.com', password: rightPassword };
    const refused = await new Client(server).post('/api/v1/auth/register', { body, headers: rebound });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('server.public_url'),
    ]);
    const elsewhere = new Client(server, { ip: '192.168.1.7' });
    expect((await elsewhere.post('/api/v1/auth/register', { body, headers: rebound })).status).toBe(201);
  });

  test('is not changed by a forwarded host from an untrusted peer', async () => {
    const headers = {
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    };
    expect((await new Client(server).login('ada@example.com', rightPassword, headers)).status).toBe(403);
  });
});
