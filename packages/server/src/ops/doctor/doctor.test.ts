import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountMigrations } from '../../accounts/migrations.ts';
import { type Flags, loadConfig } from '../../config/load.ts';
import { systemClock, toIso } from '../../lib/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { acquireHomeLock } from '../../platform/home-lock.ts';
import { writeGatewayFile } from '../gateway-file.ts';
import { comparedClock } from './check-stores.ts';
import { examineGateway } from './doctor.ts';
import type { Finding } from './finding.ts';

const secret = 'iN4mVb0s8Qz1kR6yT3wE9uPoLcXhJdFg';
let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let file: string;
let ends: (() => unknown)[];

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder.path, 'home');
  mkdirSync(home, { mode: 0o700 });
  chmodSync(home, 0o700);
  file = join(folder.path, 'switchyard.yaml');
  ends = [];
});

afterEach(async () => {
  for (const end of ends) await end();
  folder.remove();
});

interface Given {
  yaml?: string;
  env?: Record<string, string>;
  flags?: Flags;
  freeBytes?: number;
}

function examine({ yaml, env = {}, flags = {}, freeBytes }: Given = {}): Promise<Finding[]> {
  if (yaml !== undefined) writeFileSync(file, yaml, { mode: 0o600 });
  const cwd = folder.path;
  return examineGateway({
    load: () => loadConfig({ flags: { home, port: '0', ...flags }, env, cwd }),
    env,
    cwd,
    lastPortFor: ({ config }) => config.server.port,
    clock: systemClock,
    ...(freeBytes !== undefined && { disk: { freeBytes: async () => freeBytes } }),
  });
}

/** The only thing that is wrong. */
async function onlyFault(given: Given = {}): Promise<Finding | undefined> {
  const faults = (await examine(given)).filter(({ ok }) => !ok);
  expect(faults).toHaveLength(1);
  return faults[0];
}

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function freedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function sayRunning(port: number): void {
  writeGatewayFile(home, { url: `http://127.0.0.1:${port}`, pid: process.pid, since: toIso(0) });
}

async function makeDatabase(names: readonly string[]): Promise<string> {
  const path = join(home, 'data', 'switchyard.db');
  const database = await openDatabase({ backend: 'sqlite', file: path });
  const migrations = names.map((name) => ({ name, up: async () => undefined }));
  await migrate(database, 'accounts', migrations);
  await database.close();
  return path;
}

/** Everything in the folder, with rights, time and content; without the memory that processes share over a database. */
function everythingIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { mode, mtimeMs, ino } = statSync(join(path, name));
    if (name.endsWith('-shm') || !statSync(join(path, name)).isFile()) return `${name} ${mode} ${ino}`;
    const content = createHash('sha256')
      .update(readFileSync(join(path, name)))
      .digest('hex');
    return `${name} ${mode} ${ino} ${mtimeMs} ${content}`;
  });
}

describe('the doctor finds nothing wrong', () => {
  it('before the first start, and makes nothing', async () => {
    const findings = await examine({ flags: { home: join(folder.path, 'none') } });
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(new Set(findings.map(({ subject }) => subject))).toEqual(
      new Set([
        'configuration',
        'home',
        'disk',
        'listener',
        'secrets',
        'proxies',
        'models',
        'database',
        'workers',
      ]),
    );
    expect(readdirSync(folder.path)).toEqual(['home']);
  });

  it('in a home whose lock a gateway holds, and changes nothing in it', async () => {
    await makeDatabase(accountMigrations.map(({ name }) => name));
    const lock = await acquireHomeLock(home);
    ends.push(() => lock.release());
    const before = everythingIn(home);
    const findings = await examine();
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.find(({ subject }) => subject === 'update')?.says).toMatch(/older than this version/);
    expect(everythingIn(home)).toEqual(before);
  });

  it('with a worker that answers, a gateway that is ready, a proxy and a model', async () => {
    const worker = await FakeWorker.start();
    ends.push(() => worker.close());
    sayRunning(await listening((_, reply) => reply.end('{"ready":true}')));
    const yaml = [
      `dispatch: { workers: ["127.0.0.1:${worker.port}"] }`,
      'server: { public_url: https://switchyard.example.com }',
      'auth: { trusted_proxies: [127.0.0.1] }',
      'models: { fast: { model: gpt-5 } }',
    ].join('\n');
    const findings = await examine({ yaml, env: { OPENAI_API_KEY: secret } });
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.find(({ subject }) => subject === 'workers')?.says).toMatch(/answers \(version/);
  });
});

describe('the doctor names what is wrong, and what to type:', () => {
  it('keys of the configuration', async () => {
    const faults = await examine({ yaml: 'server:\n  prot: 7300\n  host: 5\n' });
    expect(faults.map(({ ok, subject, says }) => [ok, subject, says])).toEqual([
      [false, 'configuration', 'switchyard.yaml:2:3  unknown key "server.prot"; did you mean server.port?.'],
      [false, 'configuration', 'switchyard.yaml:3:9  server.host must be text, not 5.'],
    ]);
    expect(faults[0]?.remedy).toMatch(/^switchyard config validate/);
  });

  it('a file in place of the data home', async () => {
    const path = join(folder.path, 'taken');
    writeFileSync(path, '');
    expect(await onlyFault({ flags: { home: path } })).toMatchObject({
      subject: 'home',
      remedy: `mv ${path} ${path}.old`,
    });
  });

  it('a data home that others can look into', async () => {
    chmodSync(home, 0o755);
    expect(await onlyFault()).toMatchObject({ subject: 'home', remedy: `chmod o= ${home}` });
  });

  it('a disk that is almost full', async () => {
    expect(await onlyFault({ freeBytes: 5 * 1024 * 1024 })).toMatchObject({
      subject: 'disk',
      says: expect.stringMatching(/5MB free.*Below 256MB/),
      remedy: expect.stringMatching(/^du -xh/),
    });
  });

  it('a port that is in use', async () => {
    const port = await listening(() => undefined);
    expect(await onlyFault({ flags: { port: String(port) } })).toMatchObject({
      subject: 'listener',
      says: expect.stringContaining(`Port ${port} is in use on 127.0.0.1.`),
      remedy: 'switchyard up --port 0',
    });
  });

  it('a port of the page of ComfyUI that is in use', async () => {
    const port = await listening(() => undefined);
    expect(await onlyFault({ yaml: `doors: { comfyui: { port: ${port} } }` })).toMatchObject({
      subject: 'listener',
      says: expect.stringContaining('or name another with doors.comfyui.port'),
      remedy: expect.stringContaining('switchyard config show'),
    });
  });

  it('a gateway that was started before the page of ComfyUI got a port', async () => {
    sayRunning(await listening((_, reply) => reply.writeHead(200).end('{}')));
    expect(await onlyFault({ yaml: 'doors: { comfyui: { port: 7310 } }' })).toMatchObject({
      subject: 'listener',
      says: expect.stringContaining('was started without doors.comfyui.port'),
    });
  });

  it('an address that this machine does not have', async () => {
    expect(await onlyFault({ flags: { host: '192.0.2.1' } })).toMatchObject({
      subject: 'listener',
      remedy: 'switchyard up --host 127.0.0.1',
    });
  });

  it('a process that does not answer as a gateway', async () => {
    sayRunning(await freedPort());
    expect(await onlyFault()).toMatchObject({
      subject: 'listener',
      says: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.stringContaining(`kill ${process.pid}`),
    });
  });

  it('a gateway that is not ready', async () => {
    const body = {
      ready: false,
      draining: false,
      dependencies: [{ name: 'storage', ok: false, latencyMs: 1 }],
    };
    const port = await listening((_, reply) => reply.writeHead(503).end(JSON.stringify(body)));
    sayRunning(port);
    expect(await onlyFault()).toMatchObject({
      subject: 'listener',
      says: `The gateway on http://127.0.0.1:${port} is not ready: storage failed.`,
      remedy: expect.stringContaining('/readyz'),
    });
  });

  it.each(['change-me-to-something-with-32-letters', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'])(
    'a placeholder as the signing secret: %s',
    async (placeholder) => {
      const fault = await onlyFault({ env: { AUTH_JWT_SECRET: placeholder } });
      expect(fault).toMatchObject({ subject: 'secrets', remedy: expect.stringMatching(/^openssl rand/) });
      expect(JSON.stringify(fault)).not.toContain(placeholder);
    },
  );

  it('a secret in a configuration file that others can read', async () => {
    writeFileSync(file, `auth: { jwt_secret: ${secret} }`);
    chmodSync(file, 0o644);
    const fault = await onlyFault();
    expect(fault).toMatchObject({
      subject: 'secrets',
      says: expect.stringContaining('auth.jwt_secret'),
      remedy: `chmod 600 ${file}`,
    });
    expect(JSON.stringify(fault)).not.toContain(secret);
  });

  it('a signing secret that others can read', async () => {
    const path = join(home, '.jwt_secret');
    writeFileSync(path, secret);
    chmodSync(path, 0o644);
    expect(await onlyFault()).toMatchObject({ subject: 'secrets', remedy: `chmod 600 ${path}` });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it('a signing secret that is too short', async () => {
    const path = join(home, '.jwt_secret');
    writeFileSync(path, 'short\n', { mode: 0o600 });
    expect(await onlyFault()).toMatchObject({
      says: expect.stringContaining('5 characters'),
      remedy: expect.stringContaining(`rm ${path}`),
    });
  });

  it.each([
    [
      'no proxy that is trusted',
      'server: { public_url: https://a.example }',
      /lock each other out/,
      /trusted_proxies: \[/,
    ],
    [
      'everybody as a proxy',
      'auth: { trusted_proxies: [0.0.0.0/0] }',
      /claim any address/,
      /trusted_proxies: \[/,
    ],
    [
      'proxies without the public address',
      'auth: { trusted_proxies: [127.0.0.1] }',
      /public_url is not/,
      /public_url: /,
    ],
    [
      'a proxy that cannot reach the listener',
      'server: { public_url: https://a.example }\nauth: { trusted_proxies: [10.0.0.2] }',
      /calls from this machine/,
      /127\.0\.0\.1/,
    ],
  ])('%s', async (_, yaml, says, remedy) => {
    expect(await onlyFault({ yaml })).toMatchObject({
      subject: 'proxies',
      says: expect.stringMatching(says),
      remedy: expect.stringMatching(remedy),
    });
  });

  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
  ])('a model of %s without a key', async (provider, variable) => {
    expect(await onlyFault({ yaml: `models: { fast: { provider: ${provider} } }` })).toMatchObject({
      subject: 'models',
      remedy: expect.stringContaining(`export ${variable}=`),
    });
  });

  it('a langgraph.json that cannot be used', async () => {
    writeFileSync(join(folder.path, 'langgraph.json'), '{ "graphs": ');
    expect(await onlyFault()).toMatchObject({
      subject: 'models',
      says: expect.stringContaining('langgraph.json'),
      remedy: expect.stringContaining('switchyard agents'),
    });
  });

  it('a file that is not a database', async () => {
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    const path = join(home, 'data', 'switchyard.db');
    writeFileSync(path, 'This was never a database, and it is long enough to see. '.repeat(20), {
      mode: 0o600,
    });
    expect(await onlyFault()).toMatchObject({
      subject: 'database',
      says: expect.stringContaining(`${path} is not a database. Restore it from a backup`),
      remedy: expect.stringContaining(path),
    });
  });

  it('a database of a newer version', async () => {
    await makeDatabase([...accountMigrations.map(({ name }) => name), '999-later']);
    expect(await onlyFault()).toMatchObject({
      subject: 'update',
      says: expect.stringContaining('999-later'),
      remedy: expect.stringContaining('switchyard version'),
    });
  });

  it('a gateway that still runs in an older version', async () => {
    await makeDatabase(accountMigrations.map(({ name }) => name));
    sayRunning(await listening((_, reply) => reply.end('{"ready":true}')));
    expect(await onlyFault()).toMatchObject({
      subject: 'update',
      says: expect.stringContaining('the gateway that runs is of an older version'),
      remedy: expect.stringContaining('switchyard up'),
    });
  });

  it('a worker that does not answer', async () => {
    const port = await freedPort();
    expect(await onlyFault({ yaml: `dispatch: { workers: ["127.0.0.1:${port}"] }` })).toMatchObject({
      subject: 'workers',
      says: expect.stringContaining(`127.0.0.1:${port}`),
      remedy: expect.stringContaining(`curl -v http://127.0.0.1:${port}/system_stats`),
    });
  });

  it('clocks that differ', async () => {
    const ask = async () => 1_000_000;
    expect(await comparedClock(ask, { clock: () => 1_060_000, other: 'Redis' })).toMatchObject({
      ok: false,
      says: expect.stringContaining('60 s ahead of the clock of Redis'),
      remedy: expect.stringContaining('timedatectl'),
    });
  });
});
