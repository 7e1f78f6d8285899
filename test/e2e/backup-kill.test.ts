import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runBinary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { afterEach, beforeEach, expect, it } from 'vitest';

const account = { email: 'ada@example.com', password: 'correct horse battery' };
const postgres = testPostgres('a move to Postgres that is killed ten times moves everything in the end');
/** Longer than the command takes here, so some are killed before they begin and some not at all. */
const maxDelayMs = 700;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs a command to its end, or kills it after a time. */
async function run(args: string[], killAfterMs?: number): Promise<{ code: number | null; output: string }> {
  const command = runBinary({ args, cwd: folder.path });
  if (killAfterMs !== undefined) {
    await Promise.race([command.exited, sleep(killAfterMs)]);
    command.child.kill('SIGKILL');
  }
  const { code } = await command.exited;
  return { code, output: command.output() };
}

async function done(...args: string[]): Promise<string> {
  const { code, output } = await run(args);
  expect(code, output).toBe(0);
  return output;
}

it('a backup under load, of a gateway that is then killed, has everything from before its time', async () => {
  const [home, target, backups] = ['home', 'target', 'backups'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  const args = ['--port', '0'];
  const gateway = await SpawnedGateway.start({ home, cwd: folder.path, args });
  const session = await HttpSession.register(gateway.url, account);
  const threads: { id: string; at: number }[] = [];
  const runs: { thread: string; id: string; at: number }[] = [];
  let isOver = false;
  const load = Promise.allSettled(
    Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const { thread_id: id } = await session.post<{ thread_id: string }>('/api/threads', {});
        threads.push({ id, at: Date.now() });
        const { run_id } = await session.post<{ run_id: string }>(`/api/threads/${id}/runs`, {
          assistant_id: 'lead_agent',
          input: { messages: [{ role: 'user', content: 'what can you do?' }] },
        });
        runs.push({ thread: id, id: run_id, at: Date.now() });
      }
    }),
  );
  await expect.poll(() => runs.length).toBeGreaterThan(10);
  const taken = JSON.parse(
    (await done('backup', '--to', backups, '--home', home, '-o', 'json')).replace(/^.*…$/gm, ''),
  );
  isOver = true;
  await gateway.kill9();
  await load;

  expect(await done('restore', '--from', backups, '--verify')).toContain('is good');
  await done('restore', '--from', backups, '--home', target);
  const restored = await SpawnedGateway.start({ home: target, cwd: folder.path, args });
  const reader = await HttpSession.login(restored.url, account);
  await done('resume', '--home', target);
  const takenAt = Date.parse(taken.manifest.takenAt);
  for (const { id } of threads.filter(({ at }) => at < takenAt))
    expect(await reader.get(`/api/threads/${id}`)).toMatchObject({ thread_id: id });
  // Runs that were under way are taken up, and end.
  for (const { thread, id } of runs.filter(({ at }) => at < takenAt))
    await expect
      .poll(async () => (await reader.get<{ status: string }>(`/api/threads/${thread}/runs/${id}`)).status)
      .toMatch(/^(success|error|interrupted)$/);
  await restored.stop();
});

it.skipIf(postgres.isSkipped)(postgres.title, async () => {
  const home = join(folder.path, 'home');
  const gateway = await SpawnedGateway.start({ home, cwd: folder.path, args: ['--port', '0'] });
  await HttpSession.register(gateway.url, account);
  await gateway.stop();
  const rows = 20_000;
  const connection = new SqliteConnection(join(home, 'data', 'switchyard.db'));
  connection.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
     insert into revoked_sessions select 'session ' || i, '2999-01-01T00:00:00.000Z' from n`,
  );
  connection.close();
  const url = await postgres.createDatabase();
  const move = ['migrate', 'db', '--home', home, '--to', url];
  let isMoved = false;
  for (let round = 0; round < 10 && !isMoved; round += 1) {
    const delay = randomInt(maxDelayMs);
    await run(move, delay);
    // The server may still be rolling back, or all was there before the signal.
    await expect
      .poll(
        async () => {
          const { code, output } = await run([...move, '--dry-run']);
          isMoved = output.includes('The database is not empty');
          return code === 0 || isMoved;
        },
        { message: `killed after ${delay} ms` },
      )
      .toBe(true);
  }
  if (!isMoved) expect(await done(...move, '--verify')).toMatch(new RegExp(`revoked_sessions +${rows}`));
  const back = join(folder.path, 'back');
  const config = ['--home', join(folder.path, 'other')];
  const env = { SWITCHYARD__DATABASE__BACKEND: 'postgres', SWITCHYARD__DATABASE__URL: url };
  const moved = runBinary({
    args: ['migrate', 'db', ...config, '--to', `sqlite:${back}`, '--verify'],
    cwd: folder.path,
    env,
  });
  expect((await moved.exited).code, moved.output()).toBe(0);
  expect(moved.output()).toMatch(new RegExp(`revoked_sessions +${rows}`));
});
