import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { dayMs } from '../../lib/time-units.ts';
import { examineGateway } from './doctor.ts';

const folder = temporaryFolder();
let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

async function findings(changes: Record<string, string> = {}, clock = systemClock) {
  const env = {
    SWITCHYARD__FILES__STORE: 's3',
    SWITCHYARD__FILES__S3__ENDPOINT: server.endpoint,
    SWITCHYARD__FILES__S3__BUCKET: server.bucket,
    SWITCHYARD__FILES__S3__ACCESS_KEY_ID: server.accessKeyId,
    SWITCHYARD__FILES__S3__SECRET_ACCESS_KEY: server.secretAccessKey,
    ...changes,
  };
  const all = await examineGateway({
    load: () => loadConfig({ flags: { home: folder.path, port: '0' }, env, cwd: folder.path }),
    env,
    cwd: folder.path,
    lastPortFor: ({ config }) => config.server.port,
    clock,
  });
  return all.filter(({ subject, says }) => subject === 'files' || says.includes('S3'));
}

it('says that the bucket can be used, and leaves nothing in it', async () => {
  expect(await findings()).toEqual([
    {
      subject: 'files',
      ok: true,
      says: 's3://files/switchyard/ takes, gives and removes objects.',
      remedy: null,
    },
    { subject: 'clock', ok: true, says: 'The clocks of this machine and of S3 agree.', remedy: null },
  ]);
  const left = join(server.folder, 'switchyard', 'doctor');
  expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
});

it.each([
  [
    'SWITCHYARD__FILES__S3__BUCKET',
    'elsewhere',
    /has no bucket elsewhere; make it, or set files\.s3\.bucket\.$/,
  ],
  [
    'SWITCHYARD__FILES__S3__ACCESS_KEY_ID',
    'unknown',
    /refuses the key for the bucket files \(403 InvalidAccessKeyId\)/,
  ],
  ['SWITCHYARD__FILES__S3__ENDPOINT', 'http://127.0.0.1:1', /takes no connections\.$/],
])('names what is wrong with %s: %s', async (name, value, says) => {
  expect(await findings({ [name]: value })).toEqual([
    {
      subject: 'files',
      ok: false,
      says: expect.stringMatching(says),
      remedy: expect.stringContaining('switchyard config show --sources'),
    },
  ]);
});

it('says which clock is ahead, and by how much', async () => {
  const found = await findings({}, () => Date.now() + 3 * dayMs);
  const clock = found.find(({ subject }) => subject === 'clock');
  expect(clock).toMatchObject({
    ok: false,
    says: expect.stringMatching(/^The clock of this machine is 259\d\d\d s ahead of that of S3\.$/),
  });
  expect(found.find(({ subject }) => subject === 'files')).toMatchObject({ ok: true });
});
