import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKey, onlySecret } from '../src/accounts/secrets/key-file.ts';
import { SigningKeys } from '../src/accounts/secrets/signing-keys.ts';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, firstAdmin, newUser, withToken } from './support/client.ts';

let server: AccountsServer;
beforeEach(async () => {
  server = await AccountsServer.start();
});
afterEach(() => server.close());

const detail = (code: string, message: string) => ({ detail: { code, message } });

describe('a session cookie', () => {
  test('that is missing is not_authenticated', async () => {
    const answer = await new Client(server).me();
    expect([answer.status, answer.body]).toEqual([
      401,
      detail('not_authenticated', 'Authentication required'),
    ]);
  });

  test('that is not one of our tokens is token_invalid', async () => {
    const client = await newUser(server, 'ada@example.com');
    const token = client.cookies.get('access_token') ?? '';
    client.cookies.set('access_token', 'garbage');
    expect((await client.me()).body).toEqual(detail('token_invalid', 'Token error: malformed'));
    client.cookies.set('access_token', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`);
    const answer = await client.me();
    expect([answer.status, answer.body]).toEqual([
      401,
      detail('token_invalid', 'Token error: invalid_signature'),
    ]);
  });

  test('of another gateway on this host is named to the page that signs in, and no other cookie is', async () => {
    const other = await AccountsServer.start({
      keys: new SigningKeys(onlySecret('the secret of the gateway at the next port', 'a test'), Date.now),
    });
    const client = await newUser(server, 'ada@example.com');
    const isForeign = async () => (await client.get('/api/v1/auth/setup-status')).body.foreign_session;
    const own = client.cookies.get('access_token') ?? '';
    expect(await isForeign()).toBe(false);
    client.cookies.set(
      'access_token',
      (await newUser(other, 'ada@example.com')).cookies.get('access_token') ?? '',
    );
    expect(await isForeign()).toBe(true);
    client.cookies.set('access_token', 'of.some.program');
    expect(await isForeign()).toBe(false);
    client.cookies.set('access_token', own);
    server.time.jump(8 * 86_400_000);
    expect(await isForeign()).toBe(false);
    await other.close();
  });

  test('is token_expired after seven days', async () => {
    const client = await newUser(server, 'ada@example.com');
    server.time.jump(7 * 86_400_000 - 1);
    expect((await client.me()).status).toBe(200);
    server.time.jump(1);
    const answer = await client.me();
    expect([answer.status, answer.body]).toEqual([401, detail('token_expired', 'Token error: expired')]);
  });

  test('that expired is token_expired even if its user was deleted', async () => {
    const admin = await firstAdmin(server);
    const client = await newUser(server, 'ada@example.com');
    const { id } = (await client.me()).body;
    await admin.send('DELETE', `/api/v1/users/${id}`, {});
    expect((await client.me()).body).toEqual(detail('user_not_found', 'User not found'));
    server.time.jump(7 * 86_400_000);
    expect((await client.me()).body.detail.code).toBe('token_expired');
  });

  test('of a deleted user is user_not_found, even for a request that changes something', async () => {
    const admin = await firstAdmin(server);
    const client = await newUser(server, 'ada@example.com');
    await admin.send('DELETE', `/api/v1/users/${(await client.me()).body.id}`, {});
    const answer = await client.post('/api/v1/auth/change-email', {
      body: { current_password: 'x', new_email: 'new@example.com' },
    });
    expect([answer.status, answer.body]).toEqual([401, detail('user_not_found', 'User not found')]);
  });

  test('of a disabled user is token_invalid, and stays so when the user is enabled again', async () => {
    const admin = await firstAdmin(server);
    const client = await newUser(server, 'ada@example.com');
    const { id } = (await client.me()).body;
    await admin.send('PATCH', `/api/v1/users/${id}`, { body: { disabled: true } });
    expect((await client.me()).body.detail.code).toBe('token_invalid');
    await admin.send('PATCH', `/api/v1/users/${id}`, { body: { disabled: false } });
    expect((await client.me()).body.detail.code).toBe('token_invalid');
    expect((await new Client(server).login('ada@example.com')).status).toBe(200);
  });
});

describe('a dispatch token', () => {
  test('has the same four codes, in the error envelope', async () => {
    const admin = await firstAdmin(server);
    const user = await newUser(server, 'ada@example.com');
    const { token } = (await new Client(server).dispatchLogin('ada@example.com')).body.data;
    const error = async (client: Client) => {
      const { status, body } = await client.get('/api/tasks');
      return [status, body.code, body.error];
    };
    expect(await error(new Client(server))).toEqual([401, 401, 'not_authenticated']);
    expect(await error(withToken(server, 'garbage'))).toEqual([401, 401, 'token_invalid']);
    expect((await withToken(server, token).get('/api/tasks')).status).toBe(200);
    await admin.send('DELETE', `/api/v1/users/${(await user.me()).body.id}`, {});
    expect(await error(withToken(server, token))).toEqual([401, 401, 'user_not_found']);
    server.time.jump(86_400_000);
    expect(await error(withToken(server, token))).toEqual([401, 401, 'token_expired']);
  });
});

test('an unknown path below /api is 401 for strangers and 404 with a session', async () => {
  const client = await newUser(server, 'ada@example.com');
  expect((await new Client(server).get('/api/nothing')).body).toEqual(
    detail('not_authenticated', 'Authentication required'),
  );
  expect((await client.get('/api/nothing')).body).toEqual({ detail: 'Not Found' });
  expect((await client.send('DELETE', '/api/v1/auth/me', {})).body).toEqual({ detail: 'Method Not Allowed' });
});

describe('a token that is signed with our own key', () => {
  const secret = 'a secret that is only good for tests';
  const purposes = { session: 'session token', dispatch: 'dispatch token' } as const;

  function forge(kind: keyof typeof purposes, changes: object): string {
    const seconds = Math.floor(server.time.now() / 1_000);
    const whole = {
      sub: 'nobody',
      ver: 1,
      jti: 'x',
      aud: kind,
      iat: seconds,
      nbf: seconds,
      exp: seconds + 60,
    };
    const parts = [
      { alg: 'HS256', typ: `sy-${kind}+jwt` },
      { ...whole, ...changes },
    ];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = deriveKey(secret, purposes[kind]);
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }
  const asSession = (token: string) => new Client(server, { headers: { cookie: `access_token=${token}` } });

  test('and complete is looked up with its account', async () => {
    expect((await asSession(forge('session', {})).me()).body.detail.code).toBe('user_not_found');
    const dispatch = await withToken(server, forge('dispatch', {})).get('/api/tasks');
    expect(dispatch.body.error).toBe('user_not_found');
  });

  test.each([
    { sub: undefined },
    { sub: 7 },
    { sub: { toString: 'x' } },
    { exp: undefined },
    { exp: 'never' },
    { exp: null },
    { nbf: '0' },
    { iat: [] },
    { jti: undefined },
    { jti: 5 },
    { ver: '1' },
    { aud: ['session', 'dispatch'] },
  ])('but with %j is token_invalid in both areas, and logout ignores it', async (changes) => {
    const [session, dispatch] = [forge('session', changes), forge('dispatch', changes)];
    const asked = await asSession(session).me();
    expect([asked.status, asked.body.detail.code]).toEqual([401, 'token_invalid']);
    const listed = await withToken(server, dispatch).get('/api/tasks');
    expect([listed.status, listed.body.error]).toEqual([401, 'token_invalid']);
    expect((await asSession(session).post('/api/v1/auth/logout')).status).toBe(200);
  });
});
