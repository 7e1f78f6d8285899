import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';

/** What `fill-home.mjs` has noted when the home was new. */
interface Noted {
  email: string;
  password: string;
  token: string;
  answers: Record<string, unknown>;
}

interface StoredFile {
  fileId: string;
  sha256: string;
}

const homes = fileURLToPath(new URL('older-homes', import.meta.url));
const folder = temporaryFolder();
const running: SpawnedGateway[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

const postgres = testPostgres('opens a data home of version 0.1 on Postgres with everything in it');

it('opens a data home of version 0.1 on SQLite with everything in it', async () => {
  await expectEverythingIn(unpacked('0.1-sqlite'));
});

it.skipIf(postgres.isSkipped)(postgres.title, async () => {
  const home = unpacked('0.1-postgres');
  const url = await postgres.createDatabase();
  await restore(url, readFileSync(join(home, 'database.sql'), 'utf8'));
  await expectEverythingIn(home, {
    SWITCHYARD__DATABASE__BACKEND: 'postgres',
    SWITCHYARD__DATABASE__URL: url,
  });
});

async function expectEverythingIn(home: string, env: Record<string, string> = {}): Promise<void> {
  const { email, password, token, answers } = JSON.parse(
    readFileSync(join(home, 'answers.json'), 'utf8'),
  ) as Noted;
  // The files were made on one day, and this test runs on any later one.
  const gateway = await SpawnedGateway.start({
    home,
    env: { ...env, SWITCHYARD__FILES__RETENTION: '3650d' },
  });
  running.push(gateway);
  const admin = await HttpSession.login(gateway.url, { email, password });
  for (const [path, before] of Object.entries(answers)) {
    expect(lasting(await admin.get(path)), path).toMatchObject(lasting(before) as object);
  }
  const listed = (await admin.get<{ data: { items: StoredFile[] } }>('/api/files')).data.items;
  expect(listed.length).toBeGreaterThan(1);
  for (const { fileId, sha256 } of listed) {
    const bytes = await fetch(`${gateway.url}/uploads/${fileId}/file`, {
      headers: { cookie: admin.cookieHeader },
    });
    expect(
      createHash('sha256')
        .update(Buffer.from(await bytes.arrayBuffer()))
        .digest('hex'),
    ).toBe(sha256);
  }
  const byToken = await fetch(`${gateway.url}/api/tasks`, { headers: { authorization: `Bearer ${token}` } });
  expect(byToken.status).toBe(200);
  // What was begun goes on.
  const thread = Object.keys(answers).find((path) => /^\/api\/threads\/[^/]+$/.test(path));
  const input = { messages: [{ type: 'human', content: 'what can you do?' }] };
  const { messages } = await admin.post<{ messages: object[] }>(`${thread}/runs/wait`, { input });
  expect(messages.length).toBeGreaterThan(4);
}

/**
 * Leaves out what another day or another address changes, such as the signature of a link or the runs of a schedule that has come due,
 * and what was null: a later version may know it.
 */
function lasting(answer: unknown): unknown {
  const passing = ['mark', 'next_run_at', 'run_count', 'last_used_at'];
  const keep = (key: string, value: unknown): unknown => {
    if (passing.includes(key) || value === null) return undefined;
    if (typeof value !== 'string') return value;
    // A wait has no row: the name of its span is made for each answer, and is another one since.
    const named = key === 'id' ? value.replace(/\.queue(?=$|\.\d+$)/, '.0') : value;
    return named.replace(/^http:.*?(\/uploads\/[^?]+).*/, '$1');
  };
  return JSON.parse(JSON.stringify(answer, keep));
}

function unpacked(name: string): string {
  const home = join(folder.path, name);
  mkdirSync(home);
  execFileSync('tar', ['xzf', join(homes, `${name}.tgz`), '-C', home]);
  return home;
}

/** The lines that begin with a backslash are for the command psql. */
async function restore(url: string, dump: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(dump.replace(/^\\.*$/gm, ''));
  } finally {
    await client.end();
  }
}
