import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { binary, runBinary } from '@switchyard/dev-env/binary';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { BackupFolder } from '@switchyard/server/ops/backup/backup-folder';
import { faultsOf, findBackup } from '@switchyard/server/ops/backup/read-backup';
import { unfinishedRestoreFile } from '@switchyard/server/ops/backup/unfinished-restore';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { afterAll, onTestFinished as afterThis, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';
import { FreezableProxy } from '../../packages/server/testing/freezable-proxy.ts';
import { namespace, testSmallDisk } from '../drill/small-disk.ts';

/**
 * Commands that end where no operator wants it: before a rename or a sync, by kill -9 of strace, before a statement that Postgres never
 * gets, and on a disk of their own that is full.
 */
const postgres = testPostgres('a move to Postgres, and one back, that are killed have all rows or none');
const smallDisk = testSmallDisk('on a disk that is full');
const files = [0, 1, 2].map(() => randomBytes(500_000));
const hashes = files.map((bytes) => createHash('sha256').update(bytes).digest('hex')).sort();

const folder = temporaryFolder();
const home = join(folder.path, 'home');
const whole = join(folder.path, 'whole');
let place: string;
let places = 0;

beforeAll(async () => {
  const gateway = await SpawnedGateway.start({ home, cwd: folder.path });
  const user = await DispatchCaller.register(gateway.url, 'ada@example.com');
  for (const [index, bytes] of files.entries()) await user.upload(`${index}.bin`, bytes);
  await gateway.stop();
  await ended(['backup', '--to', whole, '--home', home]);
});
beforeEach(renewPlace);
afterAll(folder.remove);

function renewPlace(): void {
  places += 1;
  place = join(folder.path, `place-${places}`);
}

async function run(args: string[], { before = [], env = {} }: { before?: string[]; env?: Environment } = {}) {
  const command = [...before, process.execPath, binary];
  const started = runBinary({ args, cwd: folder.path, env, command });
  return { ...(await started.exited), output: started.output() };
}
type Environment = Record<string, string>;

async function ended(args: string[], env?: Environment): Promise<void> {
  const { code, output } = await run(args, { env: env ?? {} });
  expect(code, output).toBe(0);
}

/** Kills the command before a later and a later call of the system, until it ends by itself. Returns the number of kills. */
async function killedBefore(
  [call, step]: readonly [call: string, step: number],
  args: () => string[],
  { env = {}, check }: { env?: Environment; check: () => Promise<void> },
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    // strace counts the calls of each thread by itself, so there is one thread besides the first.
    const inject = `inject=${call}:signal=KILL:when=${1 + kills * step}`;
    const strace = ['strace', '-D', '-f', '-qq', '-o', '/dev/null'];
    const before = [...strace, '-e', `trace=${call}`, '-e', inject];
    const { code, signal, output } = await run(args(), { before, env: { ...env, UV_THREADPOOL_SIZE: '1' } });
    if (signal !== 'SIGKILL') expect(code, output).toBe(0);
    await check();
    if (signal !== 'SIGKILL') return kills;
  }
}

const names = ['rename', 1] as const;
/** In steps, since there are more of them. */
const syncs = ['fsync', 7] as const;

describe.each([names, syncs])('killed before each %s', (...point) => {
  it('a backup into a folder is whole, or is none', async () => {
    const kills = await killedBefore(point, () => ['backup', '--to', place, '--home', home], {
      check: async () => {
        for (const name of await new BackupFolder(place).names()) await expectGood(join(place, name));
      },
    });
    expect(kills).toBeGreaterThan(1);
    await expectGood(place);
    expect(readdirSync(place).filter((name) => name.startsWith('.unfinished'))).toEqual([]);
  });

  it('a backup into a file is whole, or there is no file', async () => {
    const file = () => join(place, 'one.tar');
    const args = () => {
      rmSync(file(), { force: true });
      return ['backup', '--to', file(), '--home', home];
    };
    const check = async () => void (existsSync(file()) && (await expectGood(file())));
    expect(await killedBefore(point, args, { check })).toBeGreaterThan(0);
    await expectGood(file());
    expect(readdirSync(place)).toEqual(['one.tar']);
  });

  it('a restoration is continued by the same command, and has everything then', async () => {
    const args = () => ['restore', '--from', whole, '--home', place];
    const kills = await killedBefore(point, args, {
      check: async () => {
        if (existsSync(join(place, unfinishedRestoreFile)) || !isDatabaseThere()) await ended(args());
        expectRestored();
        renewPlace();
      },
    });
    expect(kills).toBeGreaterThan(1);
  });
});

it.skipIf(postgres.isSkipped)(postgres.title, async () => {
  const url = await postgres.createDatabase();
  const { searchParams, pathname } = new URL(url);
  const network = await FreezableProxy.start(`${searchParams.get('host')}/.s.PGSQL.5432`);
  afterThis(() => network.close());
  const there = `postgres://switchyard@127.0.0.1:${network.port}${pathname}`;
  const move = ['migrate', 'db', '--home', home, '--to', there];
  const tables = await countedBy(move);
  // Each move but the first finds what the one before has left: any row makes it end by itself.
  for (const point of [
    ['create table'],
    ...Object.keys(tables).map((name) => [`insert into "${name}" (`]),
    ['unnest(', 'commit'],
    ['unnest(', 'commit', 'analyze'],
  ]) {
    const isThere = network.freezeBefore(...point);
    const { child, exited, output } = runBinary({ args: move, cwd: folder.path });
    await Promise.race([isThere, exited]);
    child.kill('SIGKILL');
    network.thaw();
    expect((await exited).signal, `before ${point.at(-1)}: ${output()}`).toBe('SIGKILL');
  }
  expect(await run(move)).toMatchObject({
    code: 1,
    output: expect.stringContaining('A move to this database had finished'),
  });

  const env = { SWITCHYARD__DATABASE__BACKEND: 'postgres', SWITCHYARD__DATABASE__URL: url };
  const from = join(folder.path, 'other');
  const args = () => ['migrate', 'db', '--home', from, '--to', `sqlite:${place}/data`];
  expect(await countedBy(args(), env)).toEqual(tables);
  await killedBefore(names, args, {
    env,
    check: async () => {
      if (!isDatabaseThere()) await ended(args(), env);
      expect(fileRows()).toEqual(hashes);
      renewPlace();
    },
  });
});

/** Returns the number of rows of each table that a move would copy, without empty ones. */
async function countedBy(move: string[], env: Environment = {}): Promise<Record<string, number>> {
  const { output } = await run([...move, '--dry-run', '-o', 'json'], { env });
  const { tables } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  const counts = Object.entries(tables as Record<string, { rows: number }>).map(
    ([name, { rows }]) => [name, rows] as const,
  );
  return Object.fromEntries(counts.filter(([, rows]) => rows > 0));
}

describe.skipIf(smallDisk.isSkipped)(smallDisk.title, () => {
  /** Runs a command with a disk of this size at `place`, and returns what it says and what is left there. */
  async function onDisk(size: string, args: string[]): Promise<{ code: number | null; output: string }> {
    mkdirSync(place);
    const script = `mount -t tmpfs -o size=${size} full "$0" && { "$@"; code=$?; find "$0"; exit $code; }`;
    return run(args, { before: ['unshare', ...namespace, 'sh', '-c', script, place] });
  }

  it.each([
    ['600k', 'folder', 'the rows do not fit'],
    ['1500k', 'folder', 'the files do not fit'],
    ['600k', 'one.tar', 'the rows do not fit'],
    ['2000k', 'one.tar', 'the parts do not fit'],
  ])('%s, a backup into %s says it and leaves none: %s', async (size, name) => {
    const { code, output } = await onDisk(size, ['backup', '--to', join(place, name), '--home', home]);
    expect([code, output]).toEqual([1, expect.stringContaining(`The disk of ${join(place, name)} is full.`)]);
    expect(output).not.toMatch(/manifest\.json|one\.tar$|ENOSPC/m);
  });

  it.each(['600k', '1500k'])('%s, a restoration says it, and no gateway starts there', async (size) => {
    const { code, output } = await onDisk(size, ['restore', '--from', whole, '--home', place]);
    expect([code, output]).toEqual([1, expect.stringContaining(`The disk of ${place} is full.`)]);
    expect(output).toMatch(/\.restore-unfinished$/m);
    expect(output).not.toMatch(/switchyard\.db$|ENOSPC/m);
  });
});

async function expectGood(path: string): Promise<void> {
  const found = await findBackup(path);
  const faults = await faultsOf(found, () => undefined).finally(found.close);
  expect([faults, found.manifest.files.count]).toEqual([[], files.length]);
}

function isDatabaseThere(): boolean {
  return existsSync(join(place, 'data', 'switchyard.db'));
}

function fileRows(): unknown[] {
  const connection = new SqliteConnection(join(place, 'data', 'switchyard.db'), { readOnly: true });
  const { rows } = connection.run('select sha256 from files order by sha256');
  connection.close();
  return (rows as { sha256: string }[]).map(({ sha256 }) => sha256);
}

function expectRestored(): void {
  expect(existsSync(join(place, unfinishedRestoreFile))).toBe(false);
  expect(fileRows()).toEqual(hashes);
  for (const sha256 of hashes) {
    const bytes = readFileSync(join(place, 'files', sha256.slice(0, 2), sha256));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
}
