import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { accountMigrations } from '../src/accounts/migrations.ts';
import type { AccountTables } from '../src/accounts/tables.ts';
import { resetAdmin } from '../src/ops/reset-admin.ts';
import { AuditStore } from '../src/platform/audit/audit-store.ts';
import { auditMigrations } from '../src/platform/audit/migrations.ts';
import type { AuditTables } from '../src/platform/audit/tables.ts';
import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { openDatabase } from '../src/platform/database/open.ts';
import { AccountsServer, type ServerOptions } from './support/accounts-server.ts';
import { Client, newUser, rightPassword } from './support/client.ts';

const open: AccountsServer[] = [];
const release: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
  for (const end of release.splice(0)) await end();
});

async function start(options: ServerOptions = {}): Promise<AccountsServer> {
  const server = await AccountsServer.start(options);
  open.push(server);
  return server;
}

/** Another process on the same database and data home. */
const startBeside = (server: AccountsServer, options: ServerOptions = {}) =>
  start({ database: server.database, home: server.home, time: server.time, ...options });

const fileOf = ({ home }: AccountsServer) => join(home, 'admin_initial_credentials.txt');

function credentialsOf(server: AccountsServer): { email: string; password: string } {
  const text = readFileSync(fileOf(server), 'utf8');
  return {
    email: /^email: (.*)$/m.exec(text)?.[1] ?? '',
    password: /^password: (.*)$/m.exec(text)?.[1] ?? '',
  };
}

async function canSignIn(server: AccountsServer): Promise<boolean> {
  const { email, password } = credentialsOf(server);
  return (await new Client(server).login(email, password)).status === 200;
}

const admins = async ({ database }: AccountsServer) =>
  database.read.selectFrom('users').selectAll().where('system_role', '=', 'admin').execute();

describe('bootstrap', () => {
  test('creates an administrator whose password is in a 0600 file and in no log', async () => {
    const server = await start({ bootstrap: 'auto' });
    expect(server.bootstrapped).toEqual({ outcome: 'created', credentialsPath: fileOf(server) });
    expect(statSync(fileOf(server)).mode & 0o777).toBe(0o600);
    expect(readFileSync(fileOf(server), 'utf8')).toMatch(
      /^# .+\n# .+\nemail: admin@example\.com\npassword: [\w-]{22}\n$/,
    );
    const { email, password } = credentialsOf(server);
    const login = await new Client(server).login(email, password);
    expect(login.body).toEqual({ expires_in: 604_800, needs_setup: true });
    expect((await new Client(server).dispatchLogin('admin', password)).status).toBe(200);
    expect(server.logLines.join()).not.toContain(password);
    expect(server.logLines.join()).toContain('admin_initial_credentials.txt');
  });

  test('changes nothing at the next start while the file is still right', async () => {
    const server = await start({ bootstrap: 'auto' });
    const before = readFileSync(fileOf(server), 'utf8');
    const again = await startBeside(server, { bootstrap: 'auto' });
    expect(again.bootstrapped).toEqual({ outcome: 'kept', credentialsPath: fileOf(server) });
    expect(readFileSync(fileOf(server), 'utf8')).toBe(before);
  });

  test.each([
    ['is gone', (path: string) => rmSync(path)],
    [
      'has another password',
      (path: string) => writeFileSync(path, 'email: admin@example.com\npassword: x\n'),
    ],
    ['is cut', (path: string) => writeFileSync(path, '# Switchyard')],
  ])('sets a new password when the file %s and no one has chosen one yet', async (_, spoil) => {
    const server = await start({ bootstrap: 'auto' });
    const old = credentialsOf(server);
    spoil(fileOf(server));
    const again = await startBeside(server, { bootstrap: 'auto' });
    expect(again.bootstrapped?.outcome).toBe('reset');
    expect(await canSignIn(again)).toBe(true);
    expect((await new Client(again).login(old.email, old.password)).status).toBe(401);
    expect(statSync(fileOf(server)).mode & 0o777).toBe(0o600);
  });

  test('changes nothing once the password was changed, with or without the file', async () => {
    const server = await start({ bootstrap: 'auto' });
    const { email, password } = credentialsOf(server);
    const client = new Client(server);
    await client.login(email, password);
    await client.post('/api/v1/auth/change-password', {
      body: { current_password: password, new_password: rightPassword },
    });
    expect((await client.me()).body.needs_setup).toBe(false);
    rmSync(fileOf(server));
    const again = await startBeside(server, { bootstrap: 'auto' });
    expect(again.bootstrapped).toEqual({ outcome: 'kept', credentialsPath: null });
    expect((await new Client(again).login(email, rightPassword)).status).toBe(200);
  });

  test('never resets an account that an administrator created', async () => {
    const server = await start({ bootstrap: 'auto' });
    const { email, password } = credentialsOf(server);
    const client = new Client(server);
    await client.login(email, password);
    const body = { email: 'second@example.com', system_role: 'admin' };
    const made = (await client.post('/api/v1/users', { body })).body;
    rmSync(fileOf(server));
    const again = await startBeside(server, { bootstrap: 'auto' });
    expect(credentialsOf(again).email).toBe('admin@example.com');
    expect((await new Client(again).login('second@example.com', made.one_time_password)).status).toBe(200);
  });

  test('of many processes at once creates one administrator and one matching file', async () => {
    const first = await start();
    const others = await Promise.all(
      Array.from({ length: 10 }, () => startBeside(first, { bootstrap: 'auto' })),
    );
    expect(others.filter(({ bootstrapped }) => bootstrapped?.outcome === 'created')).toHaveLength(1);
    expect(await admins(first)).toHaveLength(1);
    expect(await canSignIn(first)).toBe(true);
  });

  test('of many processes that find no file sets one new password', async () => {
    const first = await start({ bootstrap: 'auto' });
    rmSync(fileOf(first));
    const others = await Promise.all(
      Array.from({ length: 5 }, () => startBeside(first, { bootstrap: 'auto' })),
    );
    expect(others.filter(({ bootstrapped }) => bootstrapped?.outcome === 'reset')).toHaveLength(1);
    expect(await canSignIn(first)).toBe(true);
  });

  test('refuses to start when an ordinary account has the address, instead of promoting it', async () => {
    const server = await start();
    await newUser(server, 'admin@example.com');
    await expect(startBeside(server, { bootstrap: 'auto' })).rejects.toThrow(/auth\.admin_email/);
    expect(await admins(server)).toHaveLength(0);
  });
});

describe('initialize', () => {
  const initialize = (server: AccountsServer, email = 'root@example.com') =>
    new Client(server).post('/api/v1/auth/initialize', { body: { email, password: rightPassword } });
  const needsSetup = async (server: AccountsServer) =>
    (await new Client(server).get('/api/v1/auth/setup-status')).body;

  test('creates the first administrator and signs in', async () => {
    const server = await start({ bootstrap: 'interactive' });
    expect(server.bootstrapped).toEqual({ outcome: 'waiting', credentialsPath: null });
    expect(await needsSetup(server)).toMatchObject({ needs_setup: true, registration_enabled: true });
    const client = new Client(server);
    const body = { email: 'Root@example.com', password: rightPassword };
    const answer = await client.post('/api/v1/auth/initialize', { body });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        email: 'root@example.com',
        system_role: 'admin',
        needs_setup: false,
        oauth_provider: null,
      },
    ]);
    expect((await client.get('/api/v1/users')).status).toBe(200);
    expect(await needsSetup(server)).toMatchObject({ needs_setup: false, registration_enabled: true });
  });

  test('answers 409 once there is an administrator', async () => {
    const server = await start({ bootstrap: 'auto' });
    const answer = await initialize(server);
    expect([answer.status, answer.body]).toEqual([
      409,
      { detail: { code: 'system_already_initialized', message: 'System already initialized' } },
    ]);
    expect(await admins(server)).toHaveLength(1);
  });

  test('creates one administrator when ten callers try at once', async () => {
    const server = await start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => initialize(server, `root-${i}@example.com`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(await admins(server)).toHaveLength(1);
  });

  test('is not blocked by accounts that registered earlier, and distinguishes a taken address from a finished set-up', async () => {
    const server = await start();
    await newUser(server, 'ada@example.com');
    const taken = await initialize(server, 'ada@example.com');
    expect([taken.status, taken.body.detail.code]).toEqual([400, 'email_already_exists']);
    expect((await initialize(server)).status).toBe(201);
  });
});

describe('reset-admin', () => {
  /** The command's own connection to the file that the gateway has open. */
  async function beside<Result>(
    server: AccountsServer,
    work: (database: Database<AccountTables>) => Promise<Result>,
  ) {
    const database = await openDatabase({ backend: 'sqlite', file: join(server.home, 'switchyard.db') });
    const result = await work(database.withTables<AccountTables>());
    await database.close();
    return result;
  }

  const reset = (server: AccountsServer, email?: string) =>
    beside(server, (database) => resetAdmin({ database, home: server.home, email, passwordCost: 4 }));

  async function startOnFile(options: ServerOptions = {}): Promise<AccountsServer> {
    const home = mkdtempSync(join(tmpdir(), 'switchyard-reset-'));
    const database = await openDatabase({ backend: 'sqlite', file: join(home, 'switchyard.db') });
    await migrate(database, 'accounts', accountMigrations);
    await migrate(database, 'audit', auditMigrations);
    release.push(async () => {
      await database.close();
      rmSync(home, { recursive: true });
    });
    return start({ ...options, home, database: database.withTables<AccountTables>() });
  }

  test('is on record, as is the administrator whom the start has made', async () => {
    const server = await startOnFile({ bootstrap: 'auto' });
    await reset(server);
    const records = await beside(server, (database) =>
      new AuditStore(database.withTables<AuditTables>()).page({ limit: 10 }),
    );
    expect(records.map(({ action, actor, actorName }) => [action, actor, actorName]).sort()).toEqual([
      ['user.initialized', 'system', 'start of the gateway'],
      ['user.password_reset', 'system', 'reset-admin'],
    ]);
    expect(JSON.stringify(records)).not.toContain(credentialsOf(server).password);
  });

  test('works beside a running gateway, ends the sessions and never shows the password', async () => {
    const server = await startOnFile({ bootstrap: 'auto' });
    const { email, password } = credentialsOf(server);
    const client = new Client(server);
    await client.login(email, password);
    const outcome = await reset(server);
    expect(outcome).toEqual({ ok: true, email: 'admin@example.com', credentialsPath: fileOf(server) });
    expect(readFileSync(fileOf(server), 'utf8')).toMatch(/^# Switchyard administrator \(reset password\)\./);
    expect((await client.me()).body.detail.code).toBe('token_invalid');
    expect((await new Client(server).login(email, password)).status).toBe(401);
    expect(await canSignIn(server)).toBe(true);
    expect(JSON.stringify(outcome)).not.toContain(credentialsOf(server).password);
  });

  test('resets the named account, administrator or not', async () => {
    const server = await startOnFile({ bootstrap: 'auto' });
    await newUser(server, 'ada@example.com');
    expect(await reset(server, 'ADA@example.com')).toMatchObject({ ok: true, email: 'ada@example.com' });
    expect(credentialsOf(server).email).toBe('ada@example.com');
    expect(await canSignIn(server)).toBe(true);
  });

  test('says why it cannot', async () => {
    const server = await startOnFile();
    expect(await reset(server)).toEqual({
      ok: false,
      message: 'There is no administrator yet. Start the gateway once; it makes one.',
    });
    expect(await reset(server, 'nobody@example.com')).toEqual({
      ok: false,
      message: 'No account has the e-mail address nobody@example.com.',
    });
    const inMemory = await start();
    expect(await resetAdmin({ database: inMemory.database, home: inMemory.home })).toMatchObject({
      ok: false,
      message: expect.stringContaining('memory'),
    });
  });

  test('does not enable a disabled account', async () => {
    const server = await startOnFile({ bootstrap: 'auto' });
    const ada = await newUser(server, 'ada@example.com');
    const admin = new Client(server);
    await admin.login(credentialsOf(server).email, credentialsOf(server).password);
    await admin.send('PATCH', `/api/v1/users/${(await ada.me()).body.id}`, { body: { disabled: true } });
    expect(await reset(server, 'ada@example.com')).toMatchObject({ ok: false });
  });
});
