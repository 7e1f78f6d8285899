import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, firstAdmin, newUser, rightPassword } from './support/client.ts';

let server: AccountsServer;
beforeEach(async () => {
  server = await AccountsServer.start({ trusted: ['10.0.0.1'] });
  await newUser(server, 'ada@example.com');
});
afterEach(() => server.close());

describe('login of the conversation area', () => {
  test('sets both cookies and keeps the token out of the body', async () => {
    const client = new Client(server);
    const answer = await client.login('ada@example.com');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ expires_in: 604_800, needs_setup: false });
    const [session, csrf] = answer.headers['set-cookie'] as string[];
    expect(session).toMatch(
      /^access_token=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(csrf).toMatch(/^csrf_token=[\w-]{86}; Max-Age=604800; Path=\/; SameSite=Strict$/);
    expect((await client.me()).body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      email: 'ada@example.com',
      system_role: 'user',
      needs_setup: false,
      oauth_provider: null,
      environment: null,
    });
  });

  test('accepts the address in any case, and the other fields of an OAuth2 form', async () => {
    const form = {
      username: ' ADA@Example.com',
      password: rightPassword,
      grant_type: 'password',
      scope: '',
      client_id: 'x',
      client_secret: 'y',
    };
    expect((await new Client(server).post('/api/v1/auth/login/local', { form })).status).toBe(200);
  });

  test('sets cookies that end with the browser when it should not remember the session', async () => {
    const form = { username: 'ada@example.com', password: rightPassword, remember_me: 'false' };
    const answer = await new Client(server).post('/api/v1/auth/login/local', { form });
    expect((answer.headers['set-cookie'] as string[])[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(String(answer.headers['set-cookie'])).not.toContain('Max-Age');
  });

  test('marks cookies Secure only when a trusted proxy received the request by https', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    const trusted = await new Client(server, { ip: '10.0.0.1' }).login(
      'ada@example.com',
      rightPassword,
      headers,
    );
    expect((trusted.headers['set-cookie'] as string[]).map((line) => line.includes('; Secure'))).toEqual([
      true,
      true,
    ]);
    const other = await new Client(server, { ip: '10.0.0.2' }).login(
      'ada@example.com',
      rightPassword,
      headers,
    );
    expect(String(other.headers['set-cookie'])).not.toContain('Secure');
  });

  test('answers wrong credentials with 401 and no cookie', async () => {
    const answer = await new Client(server).login('ada@example.com', 'wrong password');
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      detail: { code: 'invalid_credentials', message: 'Incorrect email or password' },
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('names every missing field, and refuses a repeated one', async () => {
    const empty = await new Client(server).post('/api/v1/auth/login/local', {
      form: { grant_type: 'password' },
    });
    expect(empty.status).toBe(422);
    expect(
      empty.body.detail.map((fault: { type: string; loc: string[] }) => [fault.type, fault.loc]),
    ).toEqual([
      ['missing', ['body', 'username']],
      ['missing', ['body', 'password']],
    ]);
    const form = 'username=ada@example.com&username=bob@example.com&password=x';
    const doubled = await new Client(server).post('/api/v1/auth/login/local', { form });
    expect(doubled.status).toBe(422);
    expect(doubled.body.detail[0].loc).toEqual(['body', 'username']);
  });

  test('accepts the name admin for the first administrator', async () => {
    expect((await new Client(server).login('admin')).status, 'while there is none').toBe(401);
    await firstAdmin(server);
    const client = new Client(server);
    expect((await client.login('admin')).status).toBe(200);
    expect((await client.me()).body).toMatchObject({ system_role: 'admin' });
  });
});

describe('login of the dispatch area', () => {
  test('returns a token that opens dispatch for a day', async () => {
    const answer = await new Client(server).dispatchLogin('Ada@example.com');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 200,
      data: {
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        user: { username: 'ada@example.com' },
        expiresIn: 86_400,
      },
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    const headers = { authorization: `Bearer ${answer.body.data.token}` };
    expect((await new Client(server).get('/api/tasks', { headers })).status).toBe(200);
  });

  test('accepts the name admin for the first administrator', async () => {
    await firstAdmin(server);
    const answer = await new Client(server).dispatchLogin('admin');
    expect(answer.body.data.user).toEqual({ username: 'admin' });
  });

  test('answers wrong credentials with the error envelope', async () => {
    const answer = await new Client(server).dispatchLogin('ada@example.com', 'wrong password');
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      code: 401,
      message: 'Incorrect email or password',
      error: 'invalid_credentials',
      data: null,
      requestId: answer.headers['x-request-id'],
    });
  });
});

test('writes every account event to the log, and no secret', async () => {
  const client = new Client(server);
  await client.login('ada@example.com', 'wrong password');
  await client.login('ada@example.com');
  const made = await client.post('/api/v1/auth/tokens', {
    body: { name: 'laptop', scopes: ['dispatch:read'] },
  });
  await client.post('/api/v1/auth/change-password', {
    body: { current_password: rightPassword, new_password: 'another good one' },
  });
  await client.post('/api/v1/auth/logout');
  const lines = server.logLines.map((line) => JSON.parse(line));
  expect(lines.map((line) => line.event).filter(Boolean)).toEqual([
    'registered',
    'login_failed',
    'login_succeeded',
    'access_token_created',
    'password_changed',
    'logged_out',
  ]);
  expect(lines.find((line) => line.event === 'login_failed')).toMatchObject({
    level: 'warn',
    client_ip: '127.0.0.1',
    user_id: expect.any(String),
  });
  const everything = server.logLines.join('\n');
  for (const secret of ['wrong password', rightPassword, 'another good one', made.body.token, 'eyJ']) {
    expect(everything).not.toContain(secret);
  }
});
