import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { afterAll, expect, it } from 'vitest';
import { openStage, type Stage, testDrill } from './drill-stage.ts';
import { killRounds } from './kill-rounds.ts';

const drill = testDrill('killed replicas whose files are in a bucket');

let server: S3Server | undefined;
let stage: Stage | undefined;
afterAll(async () => {
  await stage?.stop();
  await server?.stop();
});

it.skipIf(drill.isSkipped)(`${drill.title} lose no file, and share no folder for them`, async () => {
  server = await startS3Server();
  stage = await openStage({
    env: {
      SWITCHYARD__FILES__STORE: 's3',
      SWITCHYARD__FILES__S3__ENDPOINT: server.endpoint,
      SWITCHYARD__FILES__S3__BUCKET: server.bucket,
      SWITCHYARD__FILES__S3__ACCESS_KEY_ID: server.accessKeyId,
      SWITCHYARD__FILES__S3__SECRET_ACCESS_KEY: server.secretAccessKey,
    },
  });
  const { cluster, tasks, admin } = stage;
  await killRounds(stage);
  expect(tasks.unanswered.size).toBe(0);
  for (const home of [cluster.sharedHome, ...cluster.replicas.map((replica) => replica.home)])
    expect(existsSync(join(home, 'files'))).toBe(false);
  const { data } = await admin.get<{ data: Files }>('/api/files?limit=200');
  expect(data.total).toBeGreaterThan(0);
  for (const [index, { url, sha256 }] of data.items.entries()) {
    const replica = cluster.replicas[index % cluster.replicas.length];
    const { pathname, search } = new URL(url);
    const loaded = await fetch(new URL(pathname + search, replica?.url));
    const hash = createHash('sha256').update(Buffer.from(await loaded.arrayBuffer()));
    expect([loaded.status, hash.digest('hex')]).toEqual([200, sha256]);
  }
});

interface Files {
  total: number;
  items: { url: string; sha256: string }[];
}
