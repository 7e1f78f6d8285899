import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../src/cli.ts';

const invert = {
  '1': { class_type: 'LoadImage', inputs: { image: 'x.png' }, _meta: { title: 'Photo' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
};
const desk = temporaryFolder();
let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let liar: FakeWorker;
let env: Record<string, string>;
let upload: string;
let picture: string;
let last: string;

beforeAll(async () => {
  worker = await startReferenceWorker();
  // It answers each task with the same bytes, whatever the graph asks for.
  liar = await FakeWorker.start({ outputBytes: 2_000 });
  const workers = [worker.port, liar.port].map((port) => `127.0.0.1:${port}`);
  gateway = await startGateway({ config: { dispatch: { workers } } });
  const session = await gateway.register('ada@example.com');
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'test',
    scopes: ['dispatch:read', 'dispatch:write'],
  });
  env = { SWITCHYARD_URL: gateway.url, SWITCHYARD_TOKEN: token, XDG_CONFIG_HOME: desk.path };
  writeFileSync(join(desk.path, 'invert.json'), JSON.stringify(invert));
  const blank = { width: 16, height: 16, channels: 3, background: 'orange' } as const;
  writeFileSync(join(desk.path, 'start.png'), await sharp({ create: blank }).png().toBuffer());
  [{ fileId: upload }] = await json('upload', 'start.png');
  picture = await inverted(upload);
  last = await inverted(picture);
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
  await liar.close();
  desk.remove();
});

const on = () => ['--on', `127.0.0.1:${worker.port}`];

/** The picture that the reference worker makes of a file. */
async function inverted(fileId: string): Promise<string> {
  const param = `Photo.image={"$file":"${fileId}"}`;
  const { code, stdout, stderr } = await cli('run', 'invert.json', '-p', param, ...on(), '--wait', '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout)[0].result.outputs[0].fileId;
}

describe('switchyard files', () => {
  it('shows how a file was made', async () => {
    const { code, stdout } = await files('recipe', picture);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^made +Task \S+ made this file from 1 file on .* \(version \S+\)\.$/m);
    expect(stdout).toMatch(new RegExp(`^input +start\\.png +${upload} +[0-9a-f]{64}$`, 'm'));
    expect((await files('recipe', upload)).stdout).toContain('was uploaded');
    expect((await json('recipe', picture)).workflow).toEqual(invert);
  });

  it('makes a file again on the reference worker and finds the same bytes', async () => {
    const { code, stdout } = await files('recipe', picture, '--verify', ...on());
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^verified +same bytes, made again on .*127\\.0\\.0\\.1:${worker.port}`, 'm'),
    );
    const { verification } = await json('recipe', last, '--verify', ...on());
    expect(verification).toMatchObject({ verdict: 'same_bytes' });
    expect(verification.fileId).not.toBe(last);
  });

  it('ends with 1 when a worker makes something else, and says which worker', async () => {
    const other = await files('recipe', picture, '--verify', '--on', `127.0.0.1:${liar.port}`);
    expect(other.stdout, other.stderr).toMatch(/^verified +differs, made again on .*\(127\.0\.0\.1:\d+\)$/m);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('differs')]);
  });

  it('does not verify an upload', async () => {
    const { code, stderr } = await files('recipe', upload, '--verify');
    expect([code, stderr]).toEqual([6, expect.stringContaining('no task made it')]);
  });

  it('shows what a file came from and what came of it', async () => {
    const { stdout } = await files('lineage', last, '--direction', 'up');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toContain(last);
    expect(lines.slice(1).map((line) => line.search(/\S/))).toEqual([0, 2, 4, 6, 8]);
    expect(lines[3]).toContain(picture);
    expect(lines[5]).toContain(upload);
    expect((await files('lineage', last, '--direction', 'up', '--depth', '1')).stderr).toContain('--depth');
  });

  it('makes a file again with changes', async () => {
    const again = await files(
      'again',
      picture,
      '-p',
      'Photo.image=@start.png',
      ...on(),
      '--name',
      'twin',
      '--json',
    );
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject([{ name: 'twin', pinnedInstanceId: on()[1] }]);
    expect(await files('again', picture, '--seed', 'random')).toMatchObject({ code: 1 });
    expect(await files('again', picture, '--seed', 'some')).toMatchObject({ code: 2 });
  });

  it('lists by kind and date, page by page', async () => {
    const first = await files('list', '--kind', 'image', '--since', '1h', '--limit', '1');
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? [];
    const second = await files(
      'list',
      '--kind',
      'image',
      '--since',
      '1h',
      '--limit',
      '1',
      '--cursor',
      cursor,
    );
    expect(second.stdout.split('\n')[1]).toMatch(/^\S{22} /);
    expect(second.stdout).not.toBe(first.stdout);
    expect((await files('list', '--kind', 'video')).stderr).toContain('no such files');
  });

  it('stars, tags and collects files, and lists what is deleted soon', async () => {
    const soon = () => files('list', '--expires-within', '31d');
    expect((await soon()).stdout).toContain(picture);
    expect((await files('star', picture)).stdout).toMatch(/^\S{22} +yes +starred +never/m);
    expect((await files('caption', picture, 'Night')).stdout).toContain('Night');
    await files('tag', picture, last, '--add', 'Dark', '--add', 'draft');
    await files('tag', picture, '--remove', 'draft');
    expect((await files('tags')).stdout).toMatch(/^dark +2$/m);
    expect((await json('list', '--tag', 'draft')).total).toBe(1);
    expect((await soon()).stdout).not.toContain(picture);
    expect((await files('unstar', picture)).stdout).not.toContain('starred');
    expect(await files('tag', picture)).toMatchObject({ code: 2 });

    expect((await cli('collections', 'create', 'Sea')).stdout).toMatch(/ 0 .*Sea$/m);
    expect(await cli('collections', 'create', 'Sea')).toMatchObject({ code: 6 });
    await cli('collections', 'add', 'Sea', upload, picture, last);
    await cli('collections', 'move', 'Sea', last, '--before', upload);
    await cli('collections', 'remove', 'Sea', picture);
    const changed = await cli(
      'collections',
      'change',
      'Sea',
      '--name',
      'Ocean',
      '--cover',
      upload,
      '-o',
      'json',
    );
    expect(JSON.parse(changed.stdout)).toMatchObject({ name: 'Ocean', count: 2, coverFileId: upload });
    const { stdout } = await cli('collections', 'show', 'Ocean', '-o', 'json');
    expect(JSON.parse(stdout).items.map(({ fileId }: { fileId: string }) => fileId)).toEqual([last, upload]);
    expect((await cli('collections', 'list', '--file', last)).stdout).toContain('Ocean');
    expect(await cli('collections', 'delete', 'Ocean')).toMatchObject({ code: 0 });
    expect(await cli('collections', 'show', 'Ocean')).toMatchObject({ code: 5 });
  });

  it('saves files as one zip and never replaces a file that is there', async () => {
    const one = await files('zip', upload, picture, '-o', 'two.zip');
    expect(one).toMatchObject({ code: 0, stdout: 'two.zip\n' });
    expect(readFileSync(join(desk.path, 'two.zip')).subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
    expect(await files('zip', '--source', 'upload', '-o', 'two.zip')).toMatchObject({ code: 2 });
    expect(await files('zip', '--source', 'upload', '-o', 'uploads.zip')).toMatchObject({ code: 0 });
    expect(await files('zip', upload, '--kind', 'image')).toMatchObject({ code: 2 });
    const form = ['--names', '{task}-{n}', '--recipes', '--strip'];
    expect(await files('zip', picture, ...form, '-o', 'named.zip')).toMatchObject({ code: 0 });
    expect(readFileSync(join(desk.path, 'named.zip')).toString('latin1')).toMatch(/-1\.png\.json/);
    const unknown = await files('zip', picture, '--names', '{sed}', '-o', 'none.zip');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('{sed} is not among')]);
    expect(await files('zip', 'nothing', '-o', 'none.zip')).toMatchObject({ code: 5 });
    expect(existsSync(join(desk.path, 'none.zip'))).toBe(false);
  });
});

const files = (...args: string[]) => cli('files', ...args);

async function json(...args: string[]) {
  const { code, stdout, stderr } = await files(...args, '-o', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

async function cli(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const streams = { stdin: Readable.from([]), stdout: output('stdout'), stderr: output('stderr') };
  const code = await runCli(args, { env, cwd: desk.path, ...streams });
  return { code, ...written };
}
