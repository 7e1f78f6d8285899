import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, firstAdmin, newUser, withToken } from './support/client.ts';

let server: AccountsServer;
let root: Client;
beforeEach(async () => {
  server = await AccountsServer.start();
  root = await firstAdmin(server);
});
afterEach(() => server.close());

const url = '/api/v1/users';
const create = (email: string, fields: Record<string, unknown> = {}) =>
  root.post(url, { body: { email, ...fields } });
const patch = (client: Client, id: string, body: object) => client.send('PATCH', `${url}/${id}`, { body });
const remove = (client: Client, id: string) => client.send('DELETE', `${url}/${id}`, {});
const idOf = async (client: Client): Promise<string> => (await client.me()).body.id;

describe('user administration', () => {
  test('is only for administrators', async () => {
    const ada = await newUser(server, 'ada@example.com');
    const id = await idOf(ada);
    const calls = [
      ada.get(url),
      ada.post(url, { body: { email: 'x@example.com' } }),
      patch(ada, id, { system_role: 'admin' }),
      ada.post(`${url}/${id}/reset-password`),
      remove(ada, await idOf(root)),
    ];
    for (const { status, body } of await Promise.all(calls)) {
      expect([status, body]).toEqual([403, { detail: 'Admin privileges required.' }]);
    }
    expect((await new Client(server).get(url)).status).toBe(401);
  });

  test('lists accounts oldest first, in pages, without their hashes', async () => {
    for (const name of ['b', 'a', 'c']) {
      server.time.jump(1_000);
      await create(`${name}@example.com`);
    }
    const all = await root.get(url);
    expect(all.body.total).toBe(4);
    expect(all.body.items.map((item: { email: string }) => item.email)).toEqual([
      'root@example.com',
      'b@example.com',
      'a@example.com',
      'c@example.com',
    ]);
    expect(all.body.items[1]).toEqual({
      id: expect.any(String),
      email: 'b@example.com',
      system_role: 'user',
      needs_setup: true,
      oauth_provider: null,
      disabled: false,
      created_at: '2030-01-01T00:00:01.000Z',
    });
    const page = await root.get(`${url}?limit=1&offset=2`);
    expect([page.body.total, page.body.items.length, page.body.items[0].email]).toEqual([
      4,
      1,
      'a@example.com',
    ]);
    expect((await root.get(`${url}?q=ROOT@`)).body.total).toBe(1);
    expect((await root.get(`${url}?q=%25`)).body.total).toBe(0);
    expect((await root.get(`${url}?limit=201`)).status).toBe(422);
  });

  test('creates an account with a one-time password that has to be changed', async () => {
    const made = await create(' New@Example.com', { system_role: 'admin' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      email: 'new@example.com',
      system_role: 'admin',
      needs_setup: true,
      one_time_password: expect.stringMatching(/^[\w-]{22}$/),
    });
    const client = new Client(server);
    const login = await client.login('new@example.com', made.body.one_time_password);
    expect(login.body.needs_setup).toBe(true);
    expect((await client.get(url)).status).toBe(200);
    await client.post('/api/v1/auth/change-password', {
      body: { current_password: made.body.one_time_password, new_password: 'my own password' },
    });
    expect((await client.me()).body.needs_setup).toBe(false);
  });

  test('refuses an address that is taken, and an invalid one', async () => {
    const taken = await create('ROOT@example.com');
    expect([taken.status, taken.body.detail.code]).toEqual([400, 'email_already_exists']);
    expect((await create('nonsense')).status).toBe(422);
  });

  test('changes a role at once', async () => {
    const ada = await newUser(server, 'ada@example.com');
    const id = await idOf(ada);
    expect((await patch(root, id, { system_role: 'admin' })).body.system_role).toBe('admin');
    expect((await ada.get(url)).status).toBe(200);
    await patch(root, id, { system_role: 'user' });
    expect((await ada.get(url)).status).toBe(403);
  });

  test('refuses a change without a known field', async () => {
    const id = await idOf(await newUser(server, 'ada@example.com'));
    for (const body of [{}, { role: 'admin' }]) {
      const { status, body: answer } = await patch(root, id, body);
      expect([status, answer.detail[0].type]).toEqual([422, 'too_short']);
    }
  });

  test('disables an account: no session, no token, no login', async () => {
    const ada = await newUser(server, 'ada@example.com');
    const { token } = (await new Client(server).dispatchLogin('ada@example.com')).body.data;
    const disabled = await patch(root, await idOf(ada), { disabled: true });
    expect([disabled.status, disabled.body.disabled]).toEqual([200, true]);
    const revoked = { code: 'token_invalid', message: 'Token revoked (account disabled)' };
    expect((await ada.me()).body.detail).toEqual(revoked);
    expect((await withToken(server, token).get('/api/tasks')).body.error).toBe('token_invalid');
    const login = await new Client(server).login('ada@example.com');
    expect([login.status, login.body.detail.code]).toEqual([401, 'invalid_credentials']);
  });

  test('gives a new one-time password and ends what was open', async () => {
    const ada = await newUser(server, 'ada@example.com');
    const reset = await root.post(`${url}/${await idOf(ada)}/reset-password`);
    expect(reset.status).toBe(200);
    expect((await ada.me()).body.detail.code).toBe('token_invalid');
    expect((await new Client(server).login('ada@example.com')).status).toBe(401);
    const login = await new Client(server).login('ada@example.com', reset.body.one_time_password);
    expect(login.body).toMatchObject({ needs_setup: true });
  });

  test('deletes an account: its sessions end and its address is free again', async () => {
    const ada = await newUser(server, 'ada@example.com');
    const id = await idOf(ada);
    expect((await remove(root, id)).body).toEqual({ success: true, message: 'User deleted' });
    expect((await ada.me()).body.detail.code).toBe('user_not_found');
    expect((await remove(root, id)).status).toBe(404);
    const again = await newUser(server, 'ada@example.com');
    expect(await idOf(again)).not.toBe(id);
  });

  test('answers 404 for accounts that do not exist', async () => {
    for (const answer of [
      await patch(root, 'nobody', { disabled: true }),
      await root.post(`${url}/nobody/reset-password`),
      await remove(root, 'nobody'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Account not found' }]);
    }
    expect((await patch(root, 'nobody', {})).status).toBe(422);
  });
});

describe('the last administrator', () => {
  const refusal = { detail: 'At least one enabled administrator must remain.' };

  test('cannot be deleted, disabled or turned into an ordinary user', async () => {
    const id = await idOf(root);
    for (const answer of [
      await remove(root, id),
      await patch(root, id, { disabled: true }),
      await patch(root, id, { system_role: 'user' }),
    ]) {
      expect([answer.status, answer.body]).toEqual([409, refusal]);
    }
    expect((await root.get(url)).status).toBe(200);
  });

  test('is the enabled one when another is disabled', async () => {
    const other = (await create('other@example.com', { system_role: 'admin' })).body;
    await patch(root, other.id, { disabled: true });
    expect((await remove(root, await idOf(root))).status).toBe(409);
    expect((await remove(root, other.id)).status).toBe(200);
  });

  test('remains when two administrators remove each other at once', async () => {
    const made = (await create('other@example.com', { system_role: 'admin' })).body;
    const other = new Client(server);
    await other.login('other@example.com', made.one_time_password);
    const rootId = await idOf(root);
    const answers = await Promise.all([remove(root, made.id), remove(other, rootId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
