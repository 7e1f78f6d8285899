import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { ConversationTables } from '@switchyard/server/conversation/tables';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { expect, it } from 'vitest';
import { readCredentials } from './credentials-file.ts';

interface Account {
  id: string;
}

interface UploadList {
  files: { filename: string }[];
}

it('moves the files of threads to their owners, who can read them there', async () => {
  const folder = temporaryFolder();
  const home = folder.path;
  const first = await SpawnedGateway.start({ home });
  const admin = await HttpSession.login(first.url, readCredentials(home));
  const ada = await HttpSession.register(first.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  const { id: adminId } = await admin.get<Account>('/api/v1/auth/me');
  const { id: adaId } = await ada.get<Account>('/api/v1/auth/me');
  const hers = await newThread(ada);
  const orphan = await newThread(admin);
  await admin.post(`/api/threads/${orphan}/runs/wait`, {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: 'what can you do?' }] },
  });
  for (const thread of [hers, orphan]) makeUpload(home, thread);
  writeFileSync(join(home, 'memory.json'), '{}');

  const refused = await migrate(home);
  expect(refused.code, refused.output).toBe(6);
  expect(refused.output).toContain(`process ${first.pid}`);
  const dry = await migrate(home, '--dry-run');
  expect(dry.code, dry.output).toBe(0);
  expect(dry.output).toMatch(/moved +memory\.json +users\/default\/memory\.json/);
  expect(existsSync(join(home, 'threads', hers))).toBe(true);
  await first.stop();

  await forget(home, orphan);
  rmSync(join(home, 'users', adminId, 'threads', orphan), { recursive: true, force: true });
  const once = await migrate(home, '-o', 'json');
  expect(once.code, once.output).toBe(0);
  expect(JSON.parse(once.output)).toMatchObject({
    dryRun: false,
    notes: [],
    entries: expect.arrayContaining([
      expect.objectContaining({ path: `threads/${hers}`, action: 'moved', owner: adaId }),
      expect.objectContaining({ path: `threads/${orphan}`, action: 'left' }),
    ]),
  });

  await (await SpawnedGateway.start({ home })).stop(); // gives the orphan to the administrator
  const twice = await migrate(home);
  expect(twice.output).toContain(`users/${adminId}/threads/${orphan}`);
  const thrice = await migrate(home);
  expect(thrice).toEqual({ code: 0, output: 'Nothing lies in the older layout.\n' });

  const last = await SpawnedGateway.start({ home });
  const adaAgain = await HttpSession.login(last.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  const adminAgain = await HttpSession.login(last.url, readCredentials(home));
  expect(await uploadsOf(adaAgain, hers)).toEqual(['a.txt']);
  expect(await uploadsOf(adminAgain, orphan)).toEqual(['a.txt']);
  await last.stop();
  folder.remove();
});

async function newThread(session: HttpSession): Promise<string> {
  const { thread_id } = await session.post<{ thread_id: string }>('/api/threads', {});
  return thread_id;
}

async function uploadsOf(session: HttpSession, thread: string): Promise<string[]> {
  const { files } = await session.get<UploadList>(`/api/threads/${thread}/uploads/list`);
  return files.map(({ filename }) => filename);
}

function makeUpload(home: string, thread: string): void {
  const uploads = join(home, 'threads', thread, 'user-data', 'uploads');
  mkdirSync(uploads, { recursive: true });
  writeFileSync(join(uploads, 'a.txt'), 'as the older version kept it');
}

/** Acts as if only the agent runtime's own store had known the thread. */
async function forget(home: string, thread: string): Promise<void> {
  const file = join(home, 'data', 'switchyard.db');
  const database = await openDatabase({ backend: 'sqlite', file });
  await database
    .withTables<ConversationTables>()
    .write((trx) => trx.deleteFrom('threads').where('thread_id', '=', thread).execute());
  await database.close();
}

async function migrate(home: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const run = runBinary({ args: ['migrate', 'layout', '--home', home, ...args], cwd: home });
  const { code } = await run.exited;
  return { code, output: run.output() };
}
