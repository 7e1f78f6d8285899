import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, onTestFinished as afterThis, expect, it } from 'vitest';
import { readCredentials } from '../e2e/credentials-file.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';
import { killRounds } from './kill-rounds.ts';

const drill = testDrill('killed replicas whose files are in a bucket');

const postgres = testPostgres('');
const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'backup' } },
};

/** More than a backup takes here. The gateway that comes back has to end those that were under way. */
const maxTasks = 150;

let server: S3Server | undefined;
const stages: Stage[] = [];
afterAll(async () => {
  for (const stage of stages) await stage.stop();
  await server?.stop();
});

async function staged(env: Record<string, string>): Promise<Stage> {
  const stage = await openStage({ env });
  stages.push(stage);
  return stage;
}

it.skipIf(drill.isSkipped)(`${drill.title} lose no file, and share no folder for them`, async () => {
  server = await startS3Server();
  const stage = await staged(bucketOf(server));
  const { cluster, tasks, admin } = stage;
  await killRounds(stage);
  expect(tasks.unanswered.size).toBe(0);
  for (const home of [cluster.sharedHome, ...cluster.replicas.map((replica) => replica.home)])
    expect(existsSync(join(home, 'files'))).toBe(false);
  const urls = cluster.replicas.map(({ url }) => url);
  expect((await loadedFiles(admin, urls)).length).toBeGreaterThan(0);
});

it.skipIf(drill.isSkipped).each(['a bucket', 'a shared folder'] as const)(
  'replicas with files in %s come back elsewhere from a backup that was taken under load',
  async (filesIn) => {
    const isInBucket = filesIn === 'a bucket';
    if (isInBucket && !server) throw new Error('The server of the bucket has not started.');
    const files = isInBucket ? bucketOf(server as S3Server) : {};
    const present = isInBucket ? stages[0] : undefined;
    const { cluster, tasks, fleet } = present ?? (await staged({}));
    const place = temporaryFolder();
    afterThis(() => place.remove());
    const settings = (url: string): Record<string, string> => ({
      ...files,
      SWITCHYARD__DATABASE__BACKEND: 'postgres',
      SWITCHYARD__DATABASE__URL: url,
      SWITCHYARD__DISPATCH__WORKERS: fleet.ports.map((port) => `127.0.0.1:${port}`).join(','),
    });
    const run = async (args: string[], env: Record<string, string>): Promise<string> => {
      const command = runBinary({ args, env, cwd: place.path });
      expect((await command.exited).code, command.output()).toBe(0);
      return command.output();
    };
    const tasksAt: { id: string; at: number }[] = [];
    const uploadsAt: number[] = [];
    let isOver = false;
    const load = [
      async () => {
        await tasks.submit(workflow);
        tasksAt.push({ id: [...tasks.accepted].at(-1) ?? '', at: Date.now() });
      },
      async () => {
        if ((await tasks.upload(cluster.url)) === 200) uploadsAt.push(Date.now());
      },
    ].map(async (work) => {
      while (!isOver && tasksAt.length < maxTasks) await work();
    });
    await expect.poll(() => Math.min(tasksAt.length, uploadsAt.length)).toBeGreaterThan(5);
    const backups = join(place.path, 'backups');
    const [replica] = cluster.replicas;
    const shared = { SWITCHYARD__FILES__SHARED_HOME: cluster.sharedHome };
    const taken = await run(['backup', '--to', backups, '--home', `${replica?.home}`, '-o', 'json'], {
      ...settings(cluster.databaseUrl),
      ...shared,
    });
    isOver = true;
    await Promise.all(load);
    for (const each of cluster.replicas) await each.kill9();

    const { manifest } = JSON.parse(taken.slice(taken.indexOf('{')));
    expect(manifest.absent).toEqual([]);
    const takenAt = Date.parse(manifest.takenAt);
    const env = {
      ...settings(await postgres.createDatabase()),
      ...(isInBucket && { SWITCHYARD__FILES__S3__PREFIX: 'restored/' }),
    };
    const home = join(place.path, 'home');
    await run(['restore', '--from', backups, '--home', home], env);
    const restored = await SpawnedGateway.start({ home, env, cwd: place.path });
    afterThis(async () => void (await restored.stop()));
    // Its first password was not changed yet, and the file with it is not in the backup, so it has a new one.
    const admin = await HttpSession.login(restored.url, readCredentials(home));
    tasks.url = restored.url;
    const due = tasksAt.filter(({ at }) => at < takenAt);
    expect(due.length).toBeGreaterThan(5);
    for (const { id } of due) expect(await tasks.task(id)).toMatchObject({ id });
    const names = await loadedFiles(admin, [restored.url]);
    const uploads = uploadsAt.filter((at) => at < takenAt);
    expect(names.filter((name) => name === 'note.bin').length).toBeGreaterThanOrEqual(uploads.length);
    await run(['resume', '--home', home], env);
    await expect
      .poll(async () => (await tasks.countOf('pending')) + (await tasks.countOf('running')))
      .toBe(0);
  },
);

/** Loads every file from one address after the other, compares its hash, and returns the names. */
async function loadedFiles(admin: HttpSession, urls: string[]): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data }: { data: Files } = await admin.get(`/api/files?limit=200${cursor && `&cursor=${cursor}`}`);
    for (const [index, { url, sha256, filename }] of data.items.entries()) {
      const { pathname, search } = new URL(url);
      const loaded = await fetch(new URL(pathname + search, urls[index % urls.length]));
      const hash = createHash('sha256').update(Buffer.from(await loaded.arrayBuffer()));
      expect([loaded.status, hash.digest('hex')]).toEqual([200, sha256]);
      names.push(filename);
    }
    cursor = data.nextCursor;
  }
  return names;
}

function bucketOf({ endpoint, bucket, accessKeyId, secretAccessKey }: S3Server): Record<string, string> {
  return {
    SWITCHYARD__FILES__STORE: 's3',
    SWITCHYARD__FILES__S3__ENDPOINT: endpoint,
    SWITCHYARD__FILES__S3__BUCKET: bucket,
    SWITCHYARD__FILES__S3__ACCESS_KEY_ID: accessKeyId,
    SWITCHYARD__FILES__S3__SECRET_ACCESS_KEY: secretAccessKey,
  };
}

interface Files {
  nextCursor: string | null;
  items: { url: string; sha256: string; filename: string }[];
}
