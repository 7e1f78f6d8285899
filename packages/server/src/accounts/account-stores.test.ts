import { createHash } from 'node:crypto';
import type { TokenRequest } from '@switchyard/contract/accounts/client-grant';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noRecord } from '../platform/audit/audit.ts';
import type { Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../platform/database/open.ts';
import { type AccessTokenRow, AccessTokenStore } from './access-token-store.ts';
import { type AccountRow, AccountStore } from './account-store.ts';
import { GrantStore } from './grants/grant-store.ts';
import { Grants } from './grants/grants.ts';
import { accountMigrations } from './migrations.ts';
import { OpenCredentials } from './open-credentials.ts';
import { SessionStore } from './session-store.ts';
import type { AccountTables } from './tables.ts';

const postgres = testPostgres('account stores on Postgres');

describe('account stores in memory', () => storesBehave(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  storesBehave(async () => patientPostgres(await postgres.createDatabase(), 10)),
);

const system = { system: 'test' };

let made = 0;
function account(fields: Partial<AccountRow> = {}): AccountRow {
  made += 1;
  return {
    id: `user-${made}`,
    email: `user-${made}@example.com`,
    password_hash: 'hash',
    system_role: 'user',
    created_at: new Date(Date.UTC(2030, 0, 1, 0, 0, made)).toISOString(),
    oauth_provider: null,
    oauth_id: null,
    needs_setup: 0,
    token_version: 0,
    disabled: 0,
    bootstrap: null,
    ...fields,
  };
}

function token(user: AccountRow, id: string, fields: Partial<AccessTokenRow> = {}): AccessTokenRow {
  return {
    id,
    user_id: user.id,
    name: id,
    digest: `digest of ${id}`,
    scopes: '["admin"]',
    created_at: '2030-01-01T00:00:00.000Z',
    expires_at: null,
    last_used_at: null,
    client: null,
    resource: null,
    ...fields,
  };
}

function storesBehave(where: () => Promise<DatabaseOptions>): void {
  let database: Database<AccountTables>;
  let store: AccountStore;
  let sessions: SessionStore;
  let accessTokens: AccessTokenStore;

  beforeAll(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'accounts', accountMigrations);
    database = opened.withTables<AccountTables>();
    store = new AccountStore(database);
    sessions = new SessionStore(database);
    accessTokens = new AccessTokenStore(database);
  });
  beforeEach(() =>
    database.write(async (trx) => {
      for (const table of ['users', 'revoked_sessions', 'access_tokens', 'oauth_grants'] as const) {
        await trx.deleteFrom(table).execute();
      }
    }),
  );
  afterAll(() => database.close());

  async function addToken(user: AccountRow, id: string): Promise<void> {
    await accessTokens.insert({ user: user.id }, token(user, id), { limit: 10, alongside: noRecord });
  }

  async function add(fields: Partial<AccountRow> = {}): Promise<AccountRow> {
    const row = account(fields);
    expect(await store.insert(system, row)).toBe(true);
    return row;
  }

  test('the addresses of accounts are found by their ids, within the reach of the owner', async () => {
    const [one, other] = [await add(), await add()];
    const asked = [one.id, other.id, 'gone'];
    expect(await store.emailsOf(system, asked)).toEqual(
      new Map([
        [one.id, one.email],
        [other.id, other.email],
      ]),
    );
    expect(await store.emailsOf({ user: one.id }, asked)).toEqual(new Map([[one.id, one.email]]));
    expect(await store.emailsOf(system, [])).toEqual(new Map());
  });

  test('only one account can have an address, and only one can be the bootstrap administrator', async () => {
    await add({ email: 'ada@example.com' });
    expect(await store.insert(system, account({ email: 'ada@example.com' }))).toBe(false);
    await add({ bootstrap: 1 });
    expect(await store.insert(system, account({ bootstrap: 1 }))).toBe(false);
    expect((await store.list(system, { limit: 10, offset: 0 })).total).toBe(2);
  });

  test('an identity of the operator has one account, which gets no password', async () => {
    const custom = { oauth_provider: 'langgraph_auth', oauth_id: 'ada', password_hash: null };
    const ada = await add(custom);
    expect(await store.insert(system, account(custom))).toBe(false);
    await add({ ...custom, oauth_id: 'Ada' });
    await add({ ...custom, oauth_provider: 'another' });

    expect((await store.findCustom(system, 'ada'))?.id).toBe(ada.id);
    expect(await store.findCustom(system, 'bob')).toBeUndefined();
    const change = { hash: 'new', needsSetup: false, expectedVersion: 0 };
    expect(await store.changePassword(system, ada.id, change)).toBeUndefined();
    expect((await store.find(system, ada.id))?.password_hash).toBeNull();
  });

  test('when many insert at once, one succeeds, and only its file is written', async () => {
    const files: string[] = [];
    const rows = Array.from({ length: 10 }, () => account({ bootstrap: 1, system_role: 'admin' }));
    const outcomes = await Promise.all(
      rows.map((row) => store.insert(system, row, async () => void files.push(row.id))),
    );
    const winner = rows[outcomes.indexOf(true)];
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(files).toEqual([winner?.id]);
    expect((await store.findBootstrapAdmin(system))?.id).toBe(winner?.id);
  });

  test('an account whose file cannot be written is not created', async () => {
    const row = account();
    const failing = store.insert(system, row, async () => {
      throw new Error('no space left');
    });
    await expect(failing).rejects.toThrow('no space left');
    expect(await store.find(system, row.id)).toBeUndefined();
  });

  test('an external identity belongs to one account, and many accounts may have none', async () => {
    await add({ oauth_provider: 'github', oauth_id: '7' });
    await add({ oauth_provider: 'gitlab', oauth_id: '7' });
    expect(await store.insert(system, account({ oauth_provider: 'github', oauth_id: '7' }))).toBe(false);
    await add();
    await add({ oauth_provider: 'github' });
    await add({ oauth_provider: 'github' });
  });

  test('a session is read with its user and whether it was revoked', async () => {
    const { id, email } = await add({ token_version: 4, needs_setup: 1 });
    await sessions.revoke(
      { user: id },
      { id: 'out', expiresAt: '2031-01-01T00:00:00.000Z' },
      '2030-01-01T00:00:00.000Z',
    );
    const expected = {
      id,
      email,
      system_role: 'user',
      needs_setup: 1,
      oauth_provider: null,
      token_version: 4,
      disabled: 0,
    };
    expect(await store.bySession(id, 'in')).toEqual({ ...expected, revoked: null });
    expect(await store.bySession(id, 'out')).toEqual({ ...expected, revoked: 'out' });
    expect(await store.bySession('nobody', 'out')).toBeUndefined();
  });

  test('of the open sessions and tokens, exactly those have ended that no request could use any more', async () => {
    const [ada, bob] = [await add({ token_version: 2 }), await add({ disabled: 1 })];
    const later = '2031-01-01T00:00:00.000Z';
    await sessions.revoke({ user: ada.id }, { id: 'signed out', expiresAt: later }, later);
    await addToken(ada, 'token of ada');
    await addToken(bob, 'token of bob');
    const open = (userId: string, credentialId: string, sessionVersion: number | null) => ({
      userId,
      credentialId,
      sessionVersion,
    });
    const credentials = new OpenCredentials({ sessions, accessTokens });
    const ended = await credentials.ended([
      open(ada.id, 'signed in', 2),
      open(ada.id, 'signed in', 2),
      open(ada.id, 'signed out', 2),
      open(ada.id, 'before the new password', 1),
      open(bob.id, 'of a disabled account', 0),
      open('deleted', 'of a deleted account', 0),
      open(ada.id, 'token of ada', null),
      open(bob.id, 'token of bob', null),
      open(ada.id, 'deleted token', null),
    ]);
    expect([...ended].sort()).toEqual([
      'before the new password',
      'deleted token',
      'of a deleted account',
      'of a disabled account',
      'signed out',
      'token of bob',
    ]);
    const many = Array.from({ length: 1_200 }, (_, index) => open(ada.id, `session ${index}`, index % 3));
    expect((await credentials.ended(many)).size).toBe(800);
    expect(await credentials.ended([])).toEqual(new Set());
  });

  test('a session can be revoked repeatedly', async () => {
    const session = { id: 'twice', expiresAt: '2031-01-01T00:00:00.000Z' };
    await sessions.revoke(system, session, '2030-01-01T00:00:00.000Z');
    await sessions.revoke(system, session, '2030-01-01T00:00:00.000Z');
  });

  test('when two changes of a password saw the same version, one is written', async () => {
    const { id } = await add();
    const change = (hash: string) =>
      store.changePassword({ user: id }, id, { hash, needsSetup: false, expectedVersion: 0 });
    const outcomes = await Promise.all([change('first'), change('second')]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await store.find(system, id)).toMatchObject({
      password_hash: outcomes.find(Boolean)?.password_hash,
      token_version: 1,
    });
  });

  test('a password whose file cannot be written is not changed', async () => {
    const { id } = await add();
    const failing = store.changePassword(system, id, {
      hash: 'new',
      needsSetup: true,
      expectedVersion: 0,
      beforeCommit: async () => {
        throw new Error('read-only file system');
      },
    });
    await expect(failing).rejects.toThrow('read-only file system');
    expect(await store.find(system, id)).toMatchObject({ password_hash: 'hash', token_version: 0 });
  });

  test('an address that is taken is refused by the row itself', async () => {
    const [ada, bob] = [await add(), await add()];
    await expect(store.changeEmail({ user: bob.id }, bob.id, { email: ada.email })).rejects.toThrow();
    expect((await store.find(system, bob.id))?.email).toBe(bob.email);
  });

  test('a user reaches no other account, and a call without an owner reaches none', async () => {
    const [ada, bob] = [await add(), await add()];
    expect(await store.find({ user: ada.id }, bob.id)).toBeUndefined();
    expect(await store.findByEmail({ user: ada.id }, bob.email)).toBeUndefined();
    expect((await store.list({ user: ada.id }, { limit: 10, offset: 0 })).items).toEqual([ada]);
    expect(await store.changeEmail({ user: ada.id }, bob.id, { email: 'x@example.com' })).toBeUndefined();
    expect(await store.administer({ user: ada.id }, bob.id, { role: 'admin' })).toBeUndefined();
    expect(await store.delete({ user: ada.id }, bob.id)).toBeUndefined();
    expect(await store.find(system, bob.id)).toEqual(bob);
    await expect(store.find({} as never, ada.id)).rejects.toThrow(/without an owner/);
  });

  test('a list is paged, oldest first, and searched for the exact characters', async () => {
    const rows = [
      await add({ email: 'a_b@example.com' }),
      await add({ email: 'axb@example.com' }),
      await add(),
    ];
    const ids = async (page: { limit: number; offset: number; q?: string }) => {
      const { total, items } = await store.list({ admin: 'x' }, page);
      return [total, items.map(({ id }) => rows.findIndex((row) => row.id === id))];
    };
    expect(await ids({ limit: 2, offset: 1 })).toEqual([3, [1, 2]]);
    expect(await ids({ limit: 10, offset: 0, q: 'a_b' })).toEqual([1, [0]]);
    expect(await ids({ limit: 10, offset: 0, q: '%' })).toEqual([0, []]);
    expect(await ids({ limit: 10, offset: 0, q: '\\' })).toEqual([0, []]);
    expect(await ids({ limit: 1, offset: 0, q: 'example' })).toEqual([3, [0]]);
  });

  test('two administrators who remove each other at once leave one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [await add({ system_role: 'admin' }), await add({ system_role: 'admin' })];
      const outcomes = await Promise.all([
        store.delete({ admin: a.id }, b.id),
        store.administer({ admin: b.id }, a.id, { disabled: true }),
      ]);
      expect(outcomes.filter((outcome) => outcome === 'last_admin')).toHaveLength(1);
      await database.write((trx) => trx.deleteFrom('users').execute());
    }
  });

  test('an administrator who becomes a user is no longer the bootstrap administrator', async () => {
    const first = await add({ system_role: 'admin', bootstrap: 1 });
    await add({ system_role: 'admin' });
    expect(await store.administer(system, first.id, { role: 'user' })).toMatchObject({ bootstrap: null });
    expect(await store.findBootstrapAdmin(system)).toBeUndefined();
  });

  test('the first administrator is the oldest one who is enabled', async () => {
    const [off, on] = [await add({ system_role: 'admin', disabled: 1 }), await add({ system_role: 'admin' })];
    await add({ system_role: 'admin' });
    expect((await store.findFirstAdmin(system))?.id).toBe(on.id);
    await database.write((trx) => trx.deleteFrom('users').where('id', '!=', off.id).execute());
    expect((await store.findFirstAdmin(system))?.id).toBe(off.id);
  });

  describe('access tokens', () => {
    test('are read with their owner, by digest', async () => {
      const ada = await add();
      await accessTokens.insert({ user: ada.id }, token(ada, 't1'), { limit: 10, alongside: noRecord });
      expect(await accessTokens.byDigest('digest of t1')).toEqual({
        id: ada.id,
        email: ada.email,
        system_role: 'user',
        needs_setup: 0,
        oauth_provider: null,
        disabled: 0,
        token_id: 't1',
        scopes: '["admin"]',
        expires_at: null,
        last_used_at: null,
        resource: null,
        name: 't1',
      });
      expect(await accessTokens.byDigest('t1')).toBeUndefined();
    });

    test('never exceed the limit', async () => {
      const ada = await add();
      expect(
        await accessTokens.insert({ user: ada.id }, token(ada, 't1'), { limit: 1, alongside: noRecord }),
      ).toBe(true);
      expect(
        await accessTokens.insert({ user: ada.id }, token(ada, 't2'), { limit: 1, alongside: noRecord }),
      ).toBe(false);
    });

    test('are listed and deleted by their owner alone, and deleted with the account', async () => {
      const [ada, bob] = [await add(), await add()];
      await accessTokens.insert({ user: ada.id }, token(ada, 't1'), { limit: 10, alongside: noRecord });
      await accessTokens.insert({ user: ada.id }, token(ada, 't2'), { limit: 10, alongside: noRecord });
      expect(await accessTokens.list({ user: bob.id })).toEqual([]);
      expect(await accessTokens.delete({ user: bob.id }, 't1')).toBe(false);
      expect(await accessTokens.delete({ user: ada.id }, 't1')).toBe(true);
      expect((await accessTokens.list({ user: ada.id })).map(({ id }) => id)).toEqual(['t2']);
      await store.delete(system, ada.id);
      expect(await accessTokens.byDigest('digest of t2')).toBeUndefined();
    });

    test('have their last use written together', async () => {
      const ada = await add();
      await accessTokens.insert({ user: ada.id }, token(ada, 't1'), { limit: 10, alongside: noRecord });
      await accessTokens.insert({ user: ada.id }, token(ada, 't2'), { limit: 10, alongside: noRecord });
      const at = '2030-01-02T00:00:00.000Z';
      await accessTokens.writeLastUsed(system, [
        ['t1', at],
        ['gone', at],
      ]);
      const used = (await accessTokens.list({ user: ada.id })).map(({ last_used_at }) => last_used_at);
      expect(used).toEqual([at, null]);
    });
  });
  describe('sign-ins of clients', () => {
    const verifier = 'v'.repeat(43);
    const uri = 'https://client.example/';
    const grantsOf = () =>
      new Grants({
        store: new GrantStore(database),
        clients: { find: async (id) => ({ id, name: 'A client', redirectUris: [uri], document: null }) },
        events: { record: () => undefined, sessionsEnded: async () => undefined },
        audit: { part: () => noRecord, record: async () => undefined },
        clock: () => Date.UTC(2030, 0, 1),
        issuer: () => 'https://gate.example',
      });

    async function codeFor({ id }: AccountRow): Promise<TokenRequest> {
      const request = {
        client_id: 'c',
        redirect_uri: uri,
        response_type: 'code',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        allow: true,
      };
      const actor = { id, name: id, via: 'cookie', requestId: null } as const;
      const address = await grantsOf().decide({ userId: id, sessionVersion: 0 }, actor, request);
      const code = new URL(address).searchParams.get('code') ?? '';
      return { grant_type: '', client_id: 'c', redirect_uri: uri, code, code_verifier: verifier };
    }

    test('end when several bring one refresh token at once', async () => {
      const ada = await add();
      const { refresh_token } = await grantsOf().exchange(await codeFor(ada));
      const request = { grant_type: '', client_id: 'c', refresh_token };
      const all = await Promise.allSettled([1, 2, 3, 4].map(() => grantsOf().refresh(request)));
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await accessTokens.list({ user: ada.id })).toEqual([]);
    });

    test('leave no token when the password changes while codes are exchanged', async () => {
      const ada = await add();
      const codes = await Promise.all([1, 2, 3, 4].map(() => codeFor(ada)));
      const change = { hash: 'new', needsSetup: false, expectedVersion: 0 };
      const all = await Promise.allSettled([
        ...codes.slice(0, 2).map((code) => grantsOf().exchange(code)),
        store.changePassword(system, ada.id, change),
        ...codes.slice(2).map((code) => grantsOf().exchange(code)),
      ]);
      expect(all[2]?.status).toBe('fulfilled');
      expect(await accessTokens.list({ user: ada.id })).toEqual([]);
      await expect(codeFor(ada)).rejects.toMatchObject({ code: 'token_invalid' });
    });
  });
}
