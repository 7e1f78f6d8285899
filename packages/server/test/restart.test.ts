import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountMigrations } from '../src/accounts/migrations.ts';
import { SigningKeys } from '../src/accounts/secrets/signing-keys.ts';
import type { AccountTables } from '../src/accounts/tables.ts';
import { systemClock } from '../src/lib/clock.ts';
import { auditMigrations } from '../src/platform/audit/migrations.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { openDatabase } from '../src/platform/database/open.ts';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser, withToken } from './support/client.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchyard-restart-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function run<Result>(work: (server: AccountsServer) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ backend: 'sqlite', file: join(home, 'switchyard.db') });
  await migrate(database, 'accounts', accountMigrations);
  await migrate(database, 'audit', auditMigrations);
  const log = createLogger({ level: 'silent', format: 'json' });
  const keys = SigningKeys.open({ given: null, givenFile: null, home }, { clock: systemClock, log });
  const server = await AccountsServer.start({ database: database.withTables<AccountTables>(), home, keys });
  const result = await work(server);
  await server.close();
  await keys.close();
  await database.close();
  return result;
}

test('sessions, sign-outs, dispatch tokens and access tokens outlive a restart', async () => {
  const before = await run(async (server) => {
    const ada = await newUser(server, 'ada@example.com');
    const out = await newUser(server, 'bob@example.com');
    const signedOut = out.cookieHeader();
    await out.post('/api/v1/auth/logout');
    const { token } = (await new Client(server).dispatchLogin('ada@example.com')).body.data;
    const made = await ada.post('/api/v1/auth/tokens', { body: { name: 'x', scopes: ['dispatch:read'] } });
    return {
      cookie: ada.cookieHeader(),
      csrf: ada.cookies.get('csrf_token') ?? '',
      signedOut,
      token,
      pat: made.body.token,
    };
  });
  await run(async (server) => {
    const ada = new Client(server, { headers: { cookie: before.cookie, 'x-csrf-token': before.csrf } });
    expect((await ada.me()).body.email).toBe('ada@example.com');
    expect((await ada.post('/api/threads', { body: {} })).status).toBe(200);
    expect((await withToken(server, before.token).get('/api/tasks')).status).toBe(200);
    expect((await withToken(server, before.pat).get('/api/tasks')).status).toBe(200);
    const gone = new Client(server, { headers: { cookie: before.signedOut } });
    expect((await gone.me()).body.detail.code).toBe('token_invalid');
  });
});

test('sessions end with the secret that they were signed with', async () => {
  const cookie = await run(async (server) => (await newUser(server, 'ada@example.com')).cookieHeader());
  rmSync(join(home, '.jwt_secret'));
  await run(async (server) => {
    const ada = new Client(server, { headers: { cookie } });
    expect((await ada.me()).body.detail).toEqual({
      code: 'token_invalid',
      message: 'Token error: invalid_signature',
    });
  });
});
