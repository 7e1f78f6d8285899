import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComfyuiCaller } from '../../packages/server/test/support/comfyui-caller.ts';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';

/**
 * Clients of ComfyUI as people install them, and not ours. Their packages bring hundreds of others, so this test installs them for itself
 * and no one else does.
 */
const clients = {
  '@saintno/comfyui-sdk': '0.3.1',
  '@stable-canvas/comfyui-client': '1.5.9',
  '@comfyorg/sdk': '0.1.9',
  'comfy-ui-client': '0.1.2',
};

describe('clients of one ComfyUI, unmodified, on three workers', () => {
  const folder = temporaryFolder();
  const workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];
  let gateway: SpawnedGateway;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;

  beforeAll(async () => {
    writeFileSync(
      join(folder.path, 'package.json'),
      JSON.stringify({ type: 'module', dependencies: clients }),
    );
    const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', install, { cwd: folder.path, stdio: 'pipe' });
    writeFileSync(join(folder.path, 'switchyard.yaml'), 'version: 1\nauth:\n  bootstrap: interactive\n');
    gateway = await SpawnedGateway.start({ home: folder.path });
    // A client listens for previews after it has the answer to its prompt, so the first node takes its time.
    for (let count = 0; count < 3; count += 1) workers.push(await startReferenceWorker({ paceMs: 1_000 }));
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers(workers.map(({ port }) => port));
    ada = await ComfyuiCaller.register(gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.register(gateway.url, 'bob@example.com');
  });
  afterAll(async () => {
    await gateway.stop();
    for (const worker of workers) await worker.close();
    folder.remove();
  });

  /** Runs a program in the folder where its client is installed. */
  async function run(program: string, { token }: ComfyuiCaller, ...args: string[]) {
    const source = fileURLToPath(new URL(`comfyui-clients/${program}`, import.meta.url));
    const copy = join(folder.path, program);
    copyFileSync(source, copy);
    const { stdout } = await promisify(execFile)('node', [copy, gateway.url, token, ...args], {
      cwd: folder.path,
    });
    // A client may write lines of its own before.
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  }

  it('@saintno/comfyui-sdk uploads, follows its prompts and fetches its pictures, each account its own', async () => {
    const [mine, theirs] = await Promise.all([
      run('saintno.mjs', ada, '255'),
      run('saintno.mjs', bob, '65280'),
    ]);

    for (const { uploaded, heard, fetched, queue, os, nodes } of [mine, theirs]) {
      expect(uploaded).toMatchObject({ name: 'small.png', subfolder: '', type: 'input' });
      expect(heard.progress).toBeGreaterThan(0);
      expect(heard.previews).toBeGreaterThan(0);
      expect(fetched).toHaveLength(4);
      expect(fetched[0]).toMatchObject({ type: 'image/png', size: expect.any(Number) });
      expect(queue).toEqual({ queue_running: [], queue_pending: [] });
      expect({ os, nodes }).toEqual({ os: 'posix', nodes: ['SaveImage'] });
    }
    expect(Object.keys(await ada.get('/history'))).toEqual([mine.promptId]);
    expect(Object.keys(await bob.get('/history'))).toEqual([theirs.promptId]);
  });

  it('@stable-canvas/comfyui-client polls for its prompts, fetches its pictures and clears its queue', async () => {
    const { promptId, fetched, queue, saver, os } = await run('stable-canvas.mjs', ada, '4080');
    const picture = { type: 'image/png', size: expect.any(Number) };
    expect(fetched).toEqual([picture, picture]);
    expect(queue).toEqual({ Running: [], Pending: [] });
    expect({ saver, os }).toEqual({ saver: true, os: 'posix' });
    expect(Object.keys(await ada.get('/history'))).toContain(promptId);
    expect(Object.keys(await bob.get('/history'))).not.toContain(promptId);
  });

  it('comfy-ui-client, which takes an address alone, does all that it can by a token in its address', async () => {
    const carol = await ComfyuiCaller.byAddress(gateway.url, 'carol@example.com');
    const result = await run('comfy-ui-client.mjs', carol, '255');
    const { prompts } = result;
    const picture = { type: 'image/png', size: expect.any(Number) };
    expect(result).toEqual({
      uploaded: { name: 'tiny.png', subfolder: '', type: 'input' },
      heard: { progress: expect.any(Number), previews: expect.any(Number) },
      fetched: [picture, picture, picture],
      queue: { queue_running: [], queue_pending: [] },
      interrupted: 'SyntaxError',
      edited: 'SyntaxError',
      prompts: [expect.any(String)],
      left: [],
      remaining: 0,
      embeddings: [],
      extensions: [],
      loader: ['LoadImage'],
      os: 'posix',
    });
    expect(result.heard.progress).toBeGreaterThan(0);
    expect(result.heard.previews).toBeGreaterThan(0);
    expect(Object.keys(await ada.get('/history'))).not.toContain(prompts[0]);
  });

  it('@stable-canvas/comfyui-client listens at a token in its address', async () => {
    const dora = await ComfyuiCaller.byAddress(gateway.url, 'dora@example.com');
    const { promptId, fetched, users, settings, folders } = await run('stable-canvas-socket.mjs', dora, '99');
    const picture = { type: 'image/png', size: expect.any(Number) };
    expect(fetched).toEqual([picture, picture]);
    expect(Object.keys(await dora.get('/history'))).toEqual([promptId]);
    expect({ users, settings }).toEqual({ users: { storage: 'server', migrated: true }, settings: {} });
    expect(folders).toEqual(expect.any(Array));
  });

  /** The SDK takes its address from the environment alone, and needs a later Node than the gateway. */
  async function runSdk(program: string, { token }: ComfyuiCaller, base: string, ...args: string[]) {
    const source = fileURLToPath(new URL(`comfyui-clients/${program}`, import.meta.url));
    copyFileSync(source, join(folder.path, program));
    const command = ['--prefer-offline', '-y', '-p', 'node@24', 'node', program, token, ...args];
    const env = { ...process.env, COMFY_BASE_URL: base };
    const { stdout } = await promisify(execFile)('npx', command, { cwd: folder.path, env });
    return JSON.parse(stdout);
  }

  function pictureFile(): string {
    const path = join(folder.path, 'photo.png');
    writeFileSync(path, Buffer.from(onePixel, 'base64'));
    return path;
  }

  it('@comfyorg/sdk does everything that it can do, with a slash behind its base address', async () => {
    const fred = await ComfyuiCaller.register(gateway.url, 'fred@example.com');
    const told = await runSdk('comfy-sdk.mjs', fred, `${gateway.url}/comfy/`, pictureFile());

    expect(told.broken).toEqual([]);
    expect(Object.keys(told.checked).sort()).toEqual([
      'GET assets',
      'GET jobs',
      'POST assets',
      'POST jobs',
      'error',
      'event output',
      'event progress',
    ]);
    expect(told).toMatchObject({
      status: 'succeeded',
      output: { type: 'image', contentType: 'image/png' },
      start: 'PNG',
      url: expect.stringContaining(`${gateway.url}/comfy/api/v2/assets/`),
      uploadedNew: true,
      again: { id: true, createdNew: false },
      keptHash: true,
      many: Array.from({ length: 9 }, () => 'succeeded 4'),
      used: { name: 'IdempotencyKeyReuse', code: 'idempotency_key_reuse', status: 422 },
      canceled: 'canceled',
      canceledAgain: 'canceled',
      crowd: Array.from({ length: 11 }, () => 'succeeded'),
      workflow: { format: 'api', image: true },
    });
    expect(told.savedBytes).toBe(told.output.sizeBytes);
    expect(told.events.at(0)).toMatch(/^(statusChange|progress)$/);
    expect(told.events.slice(-2)).toEqual(['outputReady', 'statusChange']);
    expect(told.refused).toMatchObject({
      unknownJob: { name: 'NotFound', status: 404 },
      unknownAsset: { name: 'NotFound', status: 404 },
      badWorkflow: { name: 'InvalidWorkflow', status: 422 },
      goneAsset: { name: 'MissingAsset', status: 422 },
    });
    expect(await workersOf(fred)).toHaveLength(3);
  });

  /** The workers that have run the jobs of an account. */
  async function workersOf({ token }: ComfyuiCaller): Promise<string[]> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${gateway.url}/api/tasks?status=completed&limit=200`, { headers });
    const { data } = (await answer.json()) as { data: { items: { instanceId: string }[] } };
    return [...new Set(data.items.map(({ instanceId }) => instanceId))];
  }

  it('@comfyorg/sdk learns which base address it needs when the prefix is missing', async () => {
    const { error } = await runSdk('comfy-sdk-job.mjs', ada, gateway.url, 'submit');
    expect(error).toContain(`Set COMFY_BASE_URL to ${gateway.url}/comfy.`);
  });

  it('@comfyorg/sdk takes up its job after the gateway was killed', async () => {
    // The job waits, so that it cannot end before the gateway is killed.
    const admin = await DispatchCaller.login(gateway.url, 'admin@example.com');
    await admin.call('POST', '/api/queue/pause', { scope: 'all' });
    const { id } = await runSdk('comfy-sdk-job.mjs', ada, `${gateway.url}/comfy`, 'submit');
    const stream = await ada.fetch(`/api/v2/jobs/${id}/events`);
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toMatch(/^event: (status|progress)\n/);
    await gateway.kill9();
    await expect(readToEnd(reader)).rejects.toThrow();
    gateway = await SpawnedGateway.start({ home: folder.path });
    await admin.at(gateway.url).call('POST', '/api/queue/resume', { scope: 'all' });
    const { events, status, outputs } = await runSdk(
      'comfy-sdk-job.mjs',
      ada,
      `${gateway.url}/comfy`,
      'resume',
      id,
    );
    expect(events[0]).toMatch(/^(statusChange|progress)$/);
    expect({ status, outputs, last: events.at(-1) }).toEqual({
      status: 'succeeded',
      outputs: 8,
      last: 'statusChange',
    });
  });

  async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
    while (!(await reader?.read())?.done);
  }
});

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
