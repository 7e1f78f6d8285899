import { afterEach, beforeEach, expect, test } from 'vitest';
import { sessionsEndedTopic } from '../src/accounts/account-events.ts';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser, withToken } from './support/client.ts';

let server: AccountsServer;
beforeEach(async () => {
  server = await AccountsServer.start();
});
afterEach(() => server.close());

test('signing out ends the session itself, not only its cookies', async () => {
  const ada = await newUser(server, 'ada@example.com');
  const stolen = ada.cookieHeader();
  const answer = await ada.post('/api/v1/auth/logout');
  expect([answer.status, answer.body]).toEqual([200, { message: 'Successfully logged out' }]);
  expect(ada.cookies.size).toBe(0);
  const replay = await new Client(server).get('/api/v1/auth/me', { headers: { cookie: stolen } });
  expect([replay.status, replay.body]).toEqual([
    401,
    { detail: { code: 'token_invalid', message: 'Token revoked (signed out)' } },
  ]);
});

test('signing out ends one session and keeps the others', async () => {
  const ada = await newUser(server, 'ada@example.com');
  const phone = new Client(server);
  await phone.login('ada@example.com');
  await ada.post('/api/v1/auth/logout');
  expect((await phone.me()).status).toBe(200);
});

test('signing out works without a session, with an expired one and with unreadable credentials', async () => {
  expect((await new Client(server).post('/api/v1/auth/logout')).status).toBe(200);
  const headers = { authorization: 'Basic nonsense', cookie: 'access_token=garbage' };
  expect((await new Client(server).post('/api/v1/auth/logout', { headers })).status).toBe(200);
  const ada = await newUser(server, 'ada@example.com');
  server.time.jump(8 * 86_400_000);
  expect((await ada.post('/api/v1/auth/logout')).status).toBe(200);
});

test('a dispatch token can be signed out as well', async () => {
  await newUser(server, 'ada@example.com');
  const { token } = (await new Client(server).dispatchLogin('ada@example.com')).body.data;
  await withToken(server, token).post('/api/v1/auth/logout');
  expect((await withToken(server, token).get('/api/tasks')).body.error).toBe('token_invalid');
});

test('everything that the session has open is told over the bus', async () => {
  const stop = new AbortController();
  const events = (await server.bus.subscribe(sessionsEndedTopic, { signal: stop.signal }))[
    Symbol.asyncIterator
  ]();
  const ada = await newUser(server, 'ada@example.com');
  const { id } = (await ada.me()).body;
  await ada.post('/api/v1/auth/logout');
  expect((await events.next()).value).toEqual({
    type: 'message',
    message: { user_id: id, credential_id: expect.stringMatching(/^[\w-]{22}$/) },
  });
  stop.abort();
});

test('revoked sessions are forgotten once their tokens have expired', async () => {
  const count = async () =>
    (await server.database.read.selectFrom('revoked_sessions').select('session_id').execute()).length;
  await (await newUser(server, 'ada@example.com')).post('/api/v1/auth/logout');
  await (await newUser(server, 'bob@example.com')).post('/api/v1/auth/logout');
  expect(await count()).toBe(2);
  server.time.jump(8 * 86_400_000);
  await (await newUser(server, 'cem@example.com')).post('/api/v1/auth/logout');
  expect(await count()).toBe(1);
});
