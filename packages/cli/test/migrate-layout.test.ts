import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { startGateway } from '@switchyard/dev-env/gateway';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../src/cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder.path, 'home');
  mkdirSync(join(home, 'threads', 't1'), { recursive: true });
  writeFileSync(join(home, 'threads', 't1', 'a.txt'), 'old');
});
afterEach(() => folder.remove());

async function migrate(args: string[] = [], env: Record<string, string> = {}) {
  const out = { stdout: '', stderr: '' };
  const into = (name: keyof typeof out) =>
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        out[name] += text;
        done();
      },
    });
  const code = await runCli(['migrate', 'layout', '--home', home, ...args], {
    env: { NO_COLOR: '1', ...env },
    cwd: folder.path,
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout: Object.assign(into('stdout'), { isTTY: false }),
    stderr: Object.assign(into('stderr'), { isTTY: false }),
  } as Parameters<typeof runCli>[1]);
  return { code, ...out };
}

const inMemory = { SWITCHYARD__DATABASE__BACKEND: 'memory' };

describe('switchyard migrate layout', () => {
  it('reports what it did, a line for each entry and a sum', async () => {
    const { code, stdout, stderr } = await migrate([], inMemory);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ACTION', 'FROM', 'TO', 'NOTE'],
      ['moved', 'threads/t1', 'users/default/threads/t1', 'no record of the thread'],
      ['removed', 'threads', '-'],
      [''],
    ]);
    expect(stderr).toBe(
      'With database.backend: memory no owner of a thread is known, so everything goes to the user "default".\n1 moved, 1 removed\n',
    );
    expect(existsSync(join(home, 'users/default/threads/t1/a.txt'))).toBe(true);
    expect((await migrate([], inMemory)).stderr).toContain('Nothing lies in the older layout.');
  });

  it('changes nothing in a dry run, not even by a lock, and says so', async () => {
    const { code, stdout, stderr } = await migrate(['--dry-run'], inMemory);
    expect([code, stdout.includes('users/default/threads/t1')]).toEqual([0, true]);
    expect(stderr).toContain('A dry run: nothing was changed. It would be: 1 moved, 1 removed');
    expect(readdirSync(home)).toEqual(['threads']);
  });

  it('answers JSON for scripts', async () => {
    const { stdout } = await migrate(['--dry-run', '-o', 'json'], inMemory);
    expect(JSON.parse(stdout)).toEqual({
      home,
      dryRun: true,
      notes: [expect.stringContaining('no owner of a thread is known')],
      entries: [
        {
          path: 'threads/t1',
          action: 'moved',
          to: 'users/default/threads/t1',
          owner: 'default',
          note: 'no record of the thread',
        },
        { path: 'threads', action: 'removed', to: null, owner: null, note: null },
      ],
    });
  });

  it('guesses no owners while the database that knows them is missing', async () => {
    const { code, stderr } = await migrate();
    expect([code, existsSync(join(home, 'threads/t1/a.txt'))]).toEqual([1, true]);
    expect(stderr).toContain(`There is no database at ${join(home, 'data/switchyard.db')}. It says whose`);
  });

  it('refuses a missing data home, and does not create it', async () => {
    home = join(folder.path, 'nowhere');
    const { code, stderr } = await migrate([], inMemory);
    expect([code, existsSync(home)]).toEqual([1, false]);
    expect(stderr).toContain(`There is no data home at ${home}.`);
  });

  it('moves nothing to a place where a file stands for a folder, and names that file', async () => {
    writeFileSync(join(home, 'users'), 'not a folder');
    const { code, stdout } = await migrate([], inMemory);
    expect(code).toBe(0);
    expect(stdout).toContain('users is a link or a file; nothing is put behind it');
    expect(existsSync(join(home, 'threads/t1/a.txt'))).toBe(true);
  });
});

const postgres = testPostgres('switchyard migrate layout with Postgres');

it.skipIf(postgres.isSkipped)(`${postgres.title} asks that database for the owners of threads`, async () => {
  const url = await postgres.createDatabase();
  const env = { SWITCHYARD__DATABASE__BACKEND: 'postgres', SWITCHYARD__DATABASE__URL: url };
  expect((await migrate([], env)).stderr).toContain('The database has no threads yet.');

  const gateway = await startGateway({ home, config: { database: { backend: 'postgres', url } } });
  const session = await gateway.register('ada@example.com');
  const { id } = await session.get<{ id: string }>('/api/v1/auth/me');
  await session.post('/api/threads', { thread_id: 't1' });
  expect(await migrate([], env)).toMatchObject({ code: 6 });
  await gateway.stop();

  expect(await migrate([], env)).toMatchObject({ code: 0 });
  expect(existsSync(join(home, `users/${id}/threads/t1/a.txt`))).toBe(true);
});
