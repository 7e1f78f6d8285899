import { doorScope, scopes } from '@switchyard/contract/endpoint';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dayMs } from '../src/lib/time-units.ts';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, firstAdmin, newUser, rightPassword, withToken } from './support/client.ts';

let server: AccountsServer;
let ada: Client;
beforeEach(async () => {
  server = await AccountsServer.start();
  ada = await newUser(server, 'ada@example.com');
});
afterEach(() => server.close());

const url = '/api/v1/auth/tokens';

function make(client: Client, fields: Record<string, unknown> = {}) {
  return client.post(url, { body: { name: 'laptop', scopes: ['dispatch:read'], ...fields } });
}

describe('a personal access token', () => {
  test('is shown once, and stored nowhere', async () => {
    const made = await make(ada, { scopes: ['dispatch:read', 'conversation:write'] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'laptop',
      scopes: ['dispatch:read', 'conversation:write'],
      created_at: '2030-01-01T00:00:00.000Z',
      expires_at: '2030-04-01T00:00:00.000Z',
      last_used_at: null,
      client: null,
      token: expect.stringMatching(/^sy_pat_[\w-]{43}$/),
    });
    const { token, ...shown } = made.body;
    expect((await ada.get(url)).body).toEqual({ total: 1, items: [shown] });
    const rows = await server.database.read.selectFrom('access_tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token.slice('sy_pat_'.length));
  });

  test('opens both areas, in either header, without cookies and CSRF', async () => {
    const { token } = (await make(ada, { scopes: ['dispatch:write', 'conversation:write'] })).body;
    for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': token }] as Record<
      string,
      string
    >[]) {
      const client = new Client(server, { headers });
      expect((await client.post('/api/tasks', { body: {} })).status).toBe(200);
      expect((await client.post('/api/threads', { body: {} })).status).toBe(200);
      expect((await client.me()).body.email).toBe('ada@example.com');
    }
  });

  test('may do only what its scopes name', async () => {
    const client = withToken(server, (await make(ada, { scopes: ['conversation:read'] })).body.token);
    expect((await client.get('/api/threads')).status).toBe(200);
    const write = await client.post('/api/threads', { body: {} });
    expect([write.status, write.body]).toEqual([
      403,
      { detail: 'The token lacks the scope conversation:write.' },
    ]);
    const dispatch = await client.get('/api/tasks');
    expect([dispatch.status, dispatch.body.error]).toEqual([403, 'scope_missing']);
  });

  test.each([
    ['POST', url, { name: 'child', scopes: ['dispatch:read'] }],
    ['DELETE', `${url}/own`, undefined],
    ['POST', '/api/v1/users', { email: 'new@example.com', system_role: 'admin' }],
    ['POST', '/api/v1/users/somebody/reset-password', undefined],
    ['PATCH', '/api/v1/users/somebody', { system_role: 'admin' }],
    [
      'POST',
      '/api/v1/auth/change-password',
      { current_password: rightPassword, new_password: 'another horse battery' },
    ],
    ['POST', '/api/v1/auth/change-email', { current_password: rightPassword, new_email: 'new@example.com' }],
  ] as const)('is refused what would outlive it: %s %s', async (method, path, body) => {
    const admin = await firstAdmin(server);
    const made = await make(admin, { scopes: scopes.filter((scope) => scope !== doorScope) });
    const client = withToken(server, made.body.token);
    const answer = await client.send(method, path.replace('own', made.body.id), body ? { body } : {});
    expect([answer.status, answer.body.detail.code]).toEqual([403, 'session_required']);
    expect((await client.get('/api/v1/users')).body.total).toBe(2);
    expect((await client.get(url)).body.total).toBe(1);
    expect((await new Client(server).login('root@example.com')).status).toBe(200);
  });

  test('that guesses the password does not keep its owner from changing it', async () => {
    const client = withToken(server, (await make(ada)).body.token);
    for (let guess = 0; guess < 20; guess += 1) {
      const body = { current_password: `guess ${guess}`, new_password: 'another horse battery' };
      expect((await client.post('/api/v1/auth/change-password', { body })).status).toBe(403);
    }
    const body = { current_password: rightPassword, new_password: 'another horse battery' };
    expect((await ada.post('/api/v1/auth/change-password', { body })).status).toBe(200);
  });

  test('ends only itself when it signs out', async () => {
    const [one, other] = [await make(ada), await make(ada)];
    const client = withToken(server, one.body.token);
    expect((await client.post('/api/v1/auth/logout')).status).toBe(200);
    expect((await client.get('/api/tasks')).body.error).toBe('token_invalid');
    expect((await client.post('/api/v1/auth/logout')).status).toBe(200);
    expect((await withToken(server, other.body.token).get('/api/tasks')).status).toBe(200);
    expect((await ada.get(url)).body.items.map((token: { id: string }) => token.id)).toEqual([other.body.id]);
  });

  test('with the admin scope is only for administrators', async () => {
    const refused = await make(ada, { scopes: ['admin'] });
    expect([refused.status, refused.body]).toEqual([403, { detail: 'Admin privileges required.' }]);
    const admin = await firstAdmin(server);
    const full = withToken(server, (await make(admin, { scopes: ['admin'] })).body.token);
    expect((await full.get('/api/v1/users')).status).toBe(200);
    const narrow = withToken(server, (await make(admin, { scopes: ['dispatch:read'] })).body.token);
    expect((await narrow.get('/api/v1/users')).status).toBe(403);
  });

  test('expires at its time, and never if it has none', async () => {
    const short = withToken(server, (await make(ada, { expires_in_days: 1 })).body.token);
    const never = await make(ada, { expires_in_days: null });
    expect(never.body.expires_at).toBeNull();
    server.time.jump(dayMs - 1);
    expect((await short.get('/api/tasks')).status).toBe(200);
    server.time.jump(1);
    const expired = await short.get('/api/tasks');
    expect([expired.status, expired.body.error]).toEqual([401, 'token_expired']);
    server.time.jump(3650 * dayMs);
    expect((await withToken(server, never.body.token).get('/api/tasks')).status).toBe(200);
  });

  test('is gone once it is deleted, which only its owner can do', async () => {
    const { id, token } = (await make(ada)).body;
    const bob = await newUser(server, 'bob@example.com');
    const foreign = await bob.send('DELETE', `${url}/${id}`, {});
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Access token not found' }]);
    expect((await bob.get(url)).body).toEqual({ total: 0, items: [] });
    expect((await withToken(server, token).get('/api/tasks')).status).toBe(200);
    expect((await ada.send('DELETE', `${url}/${id}`, {})).body).toMatchObject({ success: true });
    expect((await withToken(server, token).get('/api/tasks')).body.error).toBe('token_invalid');
    expect((await ada.send('DELETE', `${url}/${id}`, {})).status).toBe(404);
  });

  test('outlives a change of password, and stops while its owner is disabled', async () => {
    const admin = await firstAdmin(server);
    const client = withToken(server, (await make(ada)).body.token);
    const { id } = (await ada.me()).body;
    await ada.post('/api/v1/auth/change-password', {
      body: { current_password: 'correct horse battery', new_password: 'another good one' },
    });
    expect((await client.get('/api/tasks')).status).toBe(200);
    await admin.send('PATCH', `/api/v1/users/${id}`, { body: { disabled: true } });
    expect((await client.get('/api/tasks')).body.error).toBe('token_invalid');
    await admin.send('PATCH', `/api/v1/users/${id}`, { body: { disabled: false } });
    expect((await client.get('/api/tasks')).status).toBe(200);
    await admin.send('DELETE', `/api/v1/users/${id}`, {});
    expect((await client.get('/api/tasks')).body.error).toBe('token_invalid');
  });

  test('shows when it was last used, to the minute and with few writes', async () => {
    const client = withToken(server, (await make(ada)).body.token);
    const lastUsed = async () => (await ada.get(url)).body.items[0].last_used_at;
    await client.get('/api/tasks');
    expect(await lastUsed()).toBeNull();
    server.time.advance(5_000);
    await expect.poll(lastUsed).toBe('2030-01-01T00:00:00.000Z');
    await client.get('/api/tasks');
    expect(server.time.nextTimerMs).toBeNull();
    server.time.advance(60_000);
    await client.get('/api/tasks');
    await server.area.close();
    expect(await lastUsed()).toBe('2030-01-01T00:01:05.000Z');
  });

  test('is refused when its owner already has a hundred', async () => {
    for (let i = 0; i < 100; i += 1) expect((await make(ada)).status).toBe(201);
    expect((await make(ada)).status).toBe(409);
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['everything'] }, 'scopes'],
    [{ scopes: ['dispatch:read', 'dispatch:read'] }, 'scopes'],
    [{ expires_in_days: 0 }, 'expires_in_days'],
    [{ expires_in_days: 1.5 }, 'expires_in_days'],
  ])('is not made from %j', async (fields, field) => {
    const answer = await make(ada, fields);
    expect([answer.status, answer.body.detail[0].loc.slice(0, 2)]).toEqual([422, ['body', field]]);
  });
});
