import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';

const account = { email: 'ada@example.com', password: 'correct horse battery' };

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

async function done(...args: string[]): Promise<string> {
  const command = runBinary({ args, cwd: folder.path });
  expect((await command.exited).code, command.output()).toBe(0);
  return command.output();
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
