import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runManyProcesses } from '@switchyard/dev-env/many-processes';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acquireDatabaseLock, acquireHomeLock } from './home-lock.ts';

const program = fileURLToPath(new URL('../../testing/locking-process.ts', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
let home: string;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder.path, 'home');
});
afterEach(() => folder.remove());

it('creates the home and its lock, for their owner alone', async () => {
  const lock = await acquireHomeLock(home);
  const modes = [home, join(home, 'home.lock'), join(home, 'home.lock.json')].map(
    (path) => statSync(path).mode,
  );
  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600', '600']);
  lock.release();
});

it('refuses a second gateway with a message that names the first', async () => {
  const lock = await acquireHomeLock(home);
  writeFileSync(
    join(home, 'gateway.json'),
    JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:7300' }),
  );
  await expect(acquireHomeLock(home)).rejects.toThrow(
    new RegExp(
      `uses the data home ${home} \\(process ${process.pid}, http://127.0.0.1:7300, since 20.+Z\\)\\. Stop it`,
    ),
  );
  lock.release();
});

it('does not name an address that an earlier gateway left behind', async () => {
  const lock = await acquireHomeLock(home);
  writeFileSync(join(home, 'gateway.json'), JSON.stringify({ pid: 1, url: 'http://127.0.0.1:7300' }));
  const refusal = await acquireHomeLock(home).catch(String);
  expect(refusal).toContain(`(process ${process.pid}, since`);
  lock.release();
});

it('admits the next gateway after a release, and leaves no holder behind', async () => {
  (await acquireHomeLock(home)).release();
  expect(readdirSync(home)).toEqual(['home.lock']);
  (await acquireHomeLock(home)).release();
});

it('says what is wrong with a home that cannot be created', async () => {
  await expect(acquireHomeLock('/dev/null/home')).rejects.toThrow('/dev/null/home');
});

it('admits one of ten processes, tells the others which one, and is free once that one is killed', async () => {
  type Answer = { pid: number; refusal: string | null };
  const answers = await runManyProcesses<Answer>(program, { count: 10, options: { home } });
  const holders = answers.filter(({ refusal }) => refusal === null);
  expect(holders).toHaveLength(1);
  for (const { refusal } of answers.filter(({ refusal }) => refusal !== null)) {
    expect(refusal).toContain(`process ${holders[0]?.pid},`);
  }
  (await acquireHomeLock(home)).release();
});

it('refuses a second gateway that has another home and the same folder of a database', async () => {
  const data = join(folder.path, 'data');
  const lock = await acquireDatabaseLock(data);
  await expect(acquireDatabaseLock(data)).rejects.toThrow(
    new RegExp(
      `uses the database in ${data} \\(process ${process.pid}, since 20.+Z\\)\\. Stop it, or choose another folder with database\\.sqlite_dir`,
    ),
  );
  lock.release();
  (await acquireDatabaseLock(data)).release();
});
