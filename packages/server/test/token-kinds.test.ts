import { afterEach, beforeEach, expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser, withToken } from './support/client.ts';

let server: AccountsServer;
let session: string;
let dispatch: string;
let personal: string;
beforeEach(async () => {
  server = await AccountsServer.start();
  const ada = await newUser(server, 'ada@example.com');
  session = ada.cookies.get('access_token') ?? '';
  dispatch = (await new Client(server).dispatchLogin('ada@example.com')).body.data.token;
  const body = { name: 'x', scopes: ['dispatch:read', 'conversation:read'] };
  personal = (await ada.post('/api/v1/auth/tokens', { body })).body.token;
});
afterEach(() => server.close());

const asCookie = (token: string) => new Client(server, { headers: { cookie: `access_token=${token}` } });
const asApiKey = (token: string) => new Client(server, { headers: { 'x-api-key': token } });

async function outcome(client: Client, url: string): Promise<string> {
  const { status, body } = await client.get(url);
  return status === 200 ? 'open' : (body.error ?? body.detail.code);
}

test('a session is accepted as a cookie, in both areas, and in no header', async () => {
  expect(await outcome(asCookie(session), '/api/threads')).toBe('open');
  expect(await outcome(asCookie(session), '/api/tasks')).toBe('open');
  for (const url of ['/api/threads', '/api/tasks']) {
    expect(await outcome(withToken(server, session), url)).toBe('token_invalid');
    expect(await outcome(asApiKey(session), url)).toBe('token_invalid');
  }
});

test('a dispatch token is accepted in a header, on dispatch only, and not as a cookie', async () => {
  expect(await outcome(withToken(server, dispatch), '/api/tasks')).toBe('open');
  expect(await outcome(asApiKey(dispatch), '/api/tasks')).toBe('open');
  for (const url of ['/api/threads', '/api/v1/auth/me', '/api/v1/auth/tokens']) {
    expect(await outcome(withToken(server, dispatch), url)).toBe('token_invalid');
  }
  expect(await outcome(asCookie(dispatch), '/api/tasks')).toBe('token_invalid');
  expect(await outcome(asCookie(dispatch), '/api/threads')).toBe('token_invalid');
});

test('a dispatch token is told that a path does not exist, in either area', async () => {
  for (const url of ['/api/nothing', '/api/task', '/api/tasks/1/nothing']) {
    expect((await withToken(server, dispatch).get(url)).status).toBe(404);
    expect((await withToken(server, session).get(url)).status).toBe(401);
    expect((await withToken(server, 'garbage').get(url)).status).toBe(401);
  }
});

test('a personal access token is accepted in a header, in both areas, and not as a cookie', async () => {
  for (const url of ['/api/threads', '/api/tasks', '/api/v1/auth/me']) {
    expect(await outcome(withToken(server, personal), url)).toBe('open');
    expect(await outcome(asApiKey(personal), url)).toBe('open');
    expect(await outcome(asCookie(personal), url)).toBe('token_invalid');
  }
});

test('a valid cookie does not make up for an invalid header', async () => {
  const headers = { authorization: 'Bearer garbage', cookie: `access_token=${session}` };
  expect(await outcome(new Client(server, { headers }), '/api/threads')).toBe('token_invalid');
});
