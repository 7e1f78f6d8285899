import bcrypt from 'bcrypt';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { type Answer, Client, firstAdmin, newUser, rightPassword } from './support/client.ts';

let server: AccountsServer;
beforeEach(async () => {
  server = await AccountsServer.start();
  const admin = await firstAdmin(server);
  const off = await newUser(server, 'disabled@example.com');
  await newUser(server, 'ada@example.com');
  await admin.send('PATCH', `/api/v1/users/${(await off.me()).body.id}`, { body: { disabled: true } });
  await server.database.write((trx) =>
    trx
      .updateTable('users')
      .set({ password_hash: null, oauth_provider: 'github', oauth_id: '1' })
      .where('email', '=', 'ada@example.com')
      .execute(),
  );
  await newUser(server, 'bob@example.com');
});
afterEach(() => server.close());

/** The whole response, without the parts that differ between any two responses. */
function said({ status, body, headers }: Answer): unknown {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return { status, body: { ...body, requestId: undefined }, headers: rest };
}

const tries: [string, string, string][] = [
  ['a wrong password', 'bob@example.com', 'wrong password'],
  ['an unknown address', 'nobody@example.com', rightPassword],
  ['what is no address', 'not an address', rightPassword],
  ['a disabled account, with its right password', 'disabled@example.com', rightPassword],
  ['an account without a password', 'ada@example.com', rightPassword],
];

describe.each([
  ['conversation', (client: Client, name: string, password: string) => client.login(name, password)],
  ['dispatch', (client: Client, name: string, password: string) => client.dispatchLogin(name, password)],
])('the %s login', (_, signIn) => {
  test('gives the same answer to each of them, after one hash of the same cost', async () => {
    const compare = vi.spyOn(bcrypt, 'compare');
    const answers: unknown[] = [];
    for (const [i, [, name, password]] of tries.entries()) {
      answers.push(said(await signIn(new Client(server, { ip: `203.0.113.${i}` }), name, password)));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 401 });
    const costs = compare.mock.calls.map(([, hash]) => String(hash).slice(0, 7));
    expect(costs).toEqual(tries.map(() => '$2b$04$'));
    compare.mockRestore();
  });
});

test('a lock does not distinguish names either', async () => {
  const lock = async (name: string, ip: string) => {
    const client = new Client(server, { ip });
    for (let i = 0; i < 5; i += 1) await client.login(name, 'wrong password');
    return said(await client.login(name, 'wrong password'));
  };
  expect(await lock('bob@example.com', '203.0.113.50')).toEqual(
    await lock('nobody@example.com', '203.0.113.51'),
  );
});
