import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser, rightPassword, withToken } from './support/client.ts';

let server: AccountsServer;
let ada: Client;
beforeEach(async () => {
  server = await AccountsServer.start();
  ada = await newUser(server, 'ada@example.com');
});
afterEach(() => server.close());

const newPassword = 'staple of the horse';

function change(client: Client, fields: Record<string, unknown> = {}) {
  const body = { current_password: rightPassword, new_password: newPassword, ...fields };
  return client.post('/api/v1/auth/change-password', { body });
}

describe('a new password', () => {
  test('keeps its own session and ends every other', async () => {
    const phone = new Client(server);
    await phone.login('ada@example.com');
    const { token } = (await new Client(server).dispatchLogin('ada@example.com')).body.data;
    const before = new Client(server, { headers: { cookie: ada.cookieHeader() } });

    const answer = await change(ada);
    expect([answer.status, answer.body]).toEqual([200, { message: 'Password changed successfully' }]);

    expect((await ada.me()).status).toBe(200);
    expect((await ada.post('/api/threads', { body: {} })).status).toBe(200);
    const revoked = { code: 'token_invalid', message: 'Token revoked (password changed)' };
    expect((await phone.me()).body.detail).toEqual(revoked);
    expect((await before.me()).body.detail).toEqual(revoked);
    expect((await withToken(server, token).get('/api/tasks')).body.error).toBe('token_invalid');
    expect((await new Client(server).login('ada@example.com')).status).toBe(401);
    expect((await new Client(server).login('ada@example.com', newPassword)).status).toBe(200);
  });

  test('needs the current one, with 400 and not 401', async () => {
    const answer = await change(ada, { current_password: 'wrong password' });
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: { code: 'invalid_credentials', message: 'Current password is incorrect' } },
    ]);
  });

  test('limits guesses of the current one, and guesses do not lock the login', async () => {
    for (let i = 0; i < 5; i += 1)
      expect((await change(ada, { current_password: `guess ${i}` })).status).toBe(400);
    expect((await change(ada)).status).toBe(429);
    expect((await new Client(server).login('ada@example.com')).status).toBe(200);
  });

  test('must not be short or common', async () => {
    const short = await change(ada, { new_password: 'short' });
    expect(short.body.detail[0]).toMatchObject({ type: 'string_too_short', loc: ['body', 'new_password'] });
    const common = await change(ada, { new_password: 'Sunshine' });
    expect(common.body.detail[0]).toMatchObject({ type: 'value_error', loc: ['body', 'new_password'] });
  });

  test('is set once when two requests race, and the losing session is over', async () => {
    const rivals = [new Client(server), new Client(server)];
    for (const rival of rivals) await rival.login('ada@example.com');
    const answers = await Promise.all(
      rivals.map((rival, i) => change(rival, { new_password: `${newPassword} ${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const loser = answers.find(({ status }) => status === 401);
    expect(loser?.body.detail.message).toBe('Token revoked (password changed)');
  });

  test('can come with a new e-mail address', async () => {
    expect((await change(ada, { new_email: 'Lovelace@example.com' })).status).toBe(200);
    expect((await ada.me()).body.email).toBe('lovelace@example.com');
  });

  test('is not set together with an address that is taken', async () => {
    await newUser(server, 'bob@example.com');
    const answer = await change(ada, { new_email: 'BOB@example.com' });
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: { code: 'email_already_exists', message: 'Email already in use' } },
    ]);
    expect((await new Client(server).login('ada@example.com')).status).toBe(200);
  });

  test('is not set with an access token, which gets no cookies', async () => {
    const made = await ada.post('/api/v1/auth/tokens', { body: { name: 'cli', scopes: ['dispatch:read'] } });
    const answer = await change(withToken(server, made.body.token));
    expect(answer.status).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await new Client(server).login('ada@example.com')).status).toBe(200);
  });
});

describe('a new e-mail address', () => {
  const changeEmail = (client: Client, fields: Record<string, unknown>) =>
    client.post('/api/v1/auth/change-email', { body: { current_password: rightPassword, ...fields } });

  test('is answered with the account, and sessions continue', async () => {
    const phone = new Client(server);
    await phone.login('ada@example.com');
    const answer = await changeEmail(ada, { new_email: ' Lovelace@Example.com' });
    expect([answer.status, answer.body.email]).toEqual([200, 'lovelace@example.com']);
    expect((await phone.me()).body.email).toBe('lovelace@example.com');
    expect((await new Client(server).login('lovelace@example.com')).status).toBe(200);
  });

  test('may be the old one again', async () => {
    expect((await changeEmail(ada, { new_email: 'ada@example.com' })).status).toBe(200);
  });

  test('needs the password, a valid form, and to be free', async () => {
    await newUser(server, 'bob@example.com');
    const wrong = await changeEmail(ada, { new_email: 'x@example.com', current_password: 'wrong' });
    expect([wrong.status, wrong.body.detail.code]).toEqual([400, 'invalid_credentials']);
    const invalid = await changeEmail(ada, { new_email: 'nonsense' });
    expect([invalid.status, invalid.body.detail[0].loc]).toEqual([422, ['body', 'new_email']]);
    const taken = await changeEmail(ada, { new_email: 'bob@example.com' });
    expect([taken.status, taken.body.detail.code]).toEqual([400, 'email_already_exists']);
  });

  test('goes to only one of two accounts that want it at once', async () => {
    const bob = await newUser(server, 'bob@example.com');
    const answers = await Promise.all(
      [ada, bob].map((client) => changeEmail(client, { new_email: 'new@example.com' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
