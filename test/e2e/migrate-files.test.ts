import { createHash, randomBytes, randomInt } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runBinary } from '@switchyard/dev-env/binary';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';

const folder = temporaryFolder();
const home = folder.path;
const count = 60;
const kills = 10;
let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

it('moves files to a bucket and back, killed at ten points each way, and every answer over HTTP stays the same', async () => {
  configure('disk');
  const first = await SpawnedGateway.start({ home });
  const admin = await DispatchCaller.initialize(first.url);
  const sizes = Array.from({ length: count }, (_, index) => (index === 0 ? 12_000_000 : 1_000 + index));
  for (const [index, size] of sizes.entries()) await admin.upload(`file-${index}.bin`, randomBytes(size));
  await admin.upload('empty.txt', Buffer.alloc(0));
  const before = await everything(first.url);
  expect(before).toHaveLength(count + 1);
  const refused = await migrate('s3://files/moved/');
  expect(refused.code, refused.output).toBe(1);
  expect(refused.output).toContain(`process ${first.pid}`);
  await first.stop();
  const onDisk = listed(join(home, 'files'));

  await withKills('s3://files/moved/', () => contentsIn(join(server.folder, 'moved', 'content')));
  expect(listed(join(home, 'files'))).toEqual(onDisk);
  configure('s3');
  const second = await SpawnedGateway.start({ home });
  expect(await everything(second.url)).toEqual(before);
  await second.stop();

  rmSync(join(home, 'files'), { recursive: true });
  const inBucket = listed(join(server.folder, 'moved', 'content'));
  await withKills('disk', () => contentsIn(join(home, 'files')));
  expect(listed(join(server.folder, 'moved', 'content'))).toEqual(inBucket);
  configure('disk');
  const third = await SpawnedGateway.start({ home });
  expect(await everything(third.url)).toEqual(before);
  await third.stop();
});

it('says which content the old place has lost, and moves the rest', async () => {
  const lost = listed(join(home, 'files')).find((path) => /[0-9a-f]{64}$/.test(path)) ?? '';
  rmSync(join(home, 'files', lost));
  rmSync(server.folder, { recursive: true });
  await server.stop();
  server = await startS3Server();
  configure('disk');
  const moved = await migrate('s3://files/', '-o', 'json');
  expect(moved.code, moved.output).toBe(1);
  expect(moved.output).toContain(`1 contents are missing and 0 damaged: ${lost.slice(-64)}`);
  expect(moved.output).toMatch(new RegExp(`"copied": ${count},`));
});

it.each([
  ['ftp://files', 'must be disk, or a bucket such as s3://'],
  ['s3://Files', 'must be the bare name of a bucket'],
  ['s3://nothing/', 'has no bucket nothing; make it, or set files.s3.bucket.'],
])('--to %s is answered with what is wrong', async (to, says) => {
  const { code, output } = await migrate(to);
  expect(code, output).not.toBe(0);
  expect(output).toContain(says);
});

it('asks for the key of the bucket', async () => {
  writeFileSync(join(home, 'switchyard.yaml'), 'version: 1\n');
  const { code, output } = await migrate('s3://files/');
  expect(code, output).toBe(3);
  expect(output).toContain('without files.s3.access_key_id, files.s3.secret_access_key; set them');
});

function configure(store: 'disk' | 's3'): void {
  const s3 = {
    endpoint: server.endpoint,
    bucket: server.bucket,
    prefix: 'moved/',
    access_key_id: server.accessKeyId,
    secret_access_key: server.secretAccessKey,
  };
  const config = { version: 1, auth: { bootstrap: 'interactive' }, files: { store, s3 } };
  writeFileSync(join(home, 'switchyard.yaml'), JSON.stringify(config));
}

async function migrate(to: string, ...more: string[]): Promise<{ code: number | null; output: string }> {
  const run = runBinary({ args: ['migrate', 'files', '--home', home, '--to', to, ...more], cwd: home });
  const { code } = await run.exited;
  return { code, output: run.output() };
}

/** Kills the command each time it has stored some more, then lets it end. */
async function withKills(to: string, stored: () => number): Promise<void> {
  const points = Array.from({ length: kills }, () => randomInt(1, count)).sort((one, other) => one - other);
  console.log(`kills after ${points.join(', ')} contents`);
  for (const point of points) {
    const run = runBinary({ args: ['migrate', 'files', '--home', home, '--to', to], cwd: home });
    const ended = run.exited.then(() => true);
    while (stored() < point) if (await Promise.race([ended, sleep(1)])) break;
    run.child.kill('SIGKILL');
    await ended;
  }
  const { code, output } = await migrate(to, '-o', 'json');
  expect(code, output).toBe(0);
  const moved = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  expect(moved).toMatchObject({ verified: count + 1, missing: [], damaged: [] });
  expect(moved.copied + moved.present).toBe(count + 1);
}

/** All files as a client sees them, with the hash of what it loads. */
async function everything(url: string): Promise<object[]> {
  const admin = await DispatchCaller.login(url, 'admin@example.com');
  const { items } = (await admin.call('GET', '/api/files?limit=200')).data;
  const found: object[] = [];
  for (const { fileId, filename, url: address, size, sha256 } of items) {
    const loaded = createHash('sha256')
      .update(Buffer.from(await (await fetch(address)).arrayBuffer()))
      .digest('hex');
    found.push({ fileId, filename, size, sha256, loaded });
  }
  return found;
}

/** The names of content on a disk, and of objects in the folder of the server. */
function contentsIn(path: string): number {
  return listed(path).filter((name) => /[0-9a-f]{64}$|_object$/.test(name)).length;
}

/** What is stored in a folder, without what is being written. */
function listed(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return entries.filter((entry) => !entry.startsWith('incoming')).sort();
}
