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
const clients = { '@saintno/comfyui-sdk': '0.3.1', '@stable-canvas/comfyui-client': '1.5.9' };

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
    for (let count = 0; count < 3; count += 1) workers.push(await startReferenceWorker());
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
    return JSON.parse(stdout);
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
});
