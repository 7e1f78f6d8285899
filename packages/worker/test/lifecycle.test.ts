import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  adoptEveryMs,
  adoptWorker,
  findWorker,
  lastPort,
  launchWorker,
  stopWorker,
} from '../src/lifecycle.ts';
import { testDir, testWorker } from './support/test-worker.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const command = [process.execPath, '--import', 'tsx', main] as const;

describe('finding and adopting', () => {
  it('finds the worker of a directory by its file, and nothing without that file', async () => {
    const { worker, dir } = await testWorker();
    expect(await findWorker(dir)).toMatchObject({
      url: worker.url,
      pid: process.pid,
      token: worker.token,
      adoptedBy: null,
    });
    expect(await findWorker(await testDir())).toBeUndefined();
  });

  it('keeps its token and its files from other users of the machine', async () => {
    const { dir } = await testWorker({ dir: join(await testDir(), 'new') });
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'worker.json'))).mode & 0o777).toBe(0o600);
  });

  it('does not mistake another server on the same port for its worker', async () => {
    const { dir, worker } = await testWorker();
    const file = JSON.parse(await readFile(join(dir, 'worker.json'), 'utf8'));
    const impostor = createServer((_, response) => response.end('{"startedAt":"1970"}')).listen(
      0,
      '127.0.0.1',
    );
    onTestFinished(() => void impostor.close());
    await once(impostor, 'listening');
    await writeFile(
      join(dir, 'worker.json'),
      JSON.stringify({ ...file, port: (impostor.address() as AddressInfo).port }),
    );
    expect(await findWorker(dir)).toBeUndefined();
    await writeFile(join(dir, 'worker.json'), JSON.stringify({ ...file, token: 'wrong' }));
    expect(await findWorker(dir)).toBeUndefined();
    await writeFile(join(dir, 'worker.json'), '{"port":');
    expect(await findWorker(dir)).toBeUndefined();
    expect((await fetch(`${worker.url}/reference/identity`)).status).toBe(403);
  });

  it('remembers which gateway adopted it, and refuses to be adopted without the token', async () => {
    const { dir, worker } = await testWorker();
    expect(await adoptWorker(worker, 'gateway-1')).toBe(true);
    expect((await findWorker(dir))?.adoptedBy).toBe('gateway-1');
    expect(await adoptWorker({ url: worker.url, token: 'wrong' }, 'gateway-2')).toBe(false);
    expect((await findWorker(dir))?.adoptedBy).toBe('gateway-1');
  });

  it('says so when the worker is gone', async () => {
    const { worker } = await testWorker();
    await worker.close();
    expect([await adoptWorker(worker, 'gateway'), await stopWorker(worker)]).toEqual([false, false]);
  });

  it('ends after its wait when it was started to be adopted', async () => {
    const reasons: string[] = [];
    const ended = new Promise<void>((resolve) => {
      void testWorker({
        exitWhenOrphanedForMs: 20,
        onEnd: (reason) => {
          reasons.push(reason);
          resolve();
        },
      });
    });
    await ended;
    expect(reasons).toEqual(['orphaned']);
  });

  it('lets a gateway miss three adoptions before its worker treats it as dead', () => {
    expect(adoptEveryMs * 4).toBeLessThanOrEqual(60_000);
  });
});

describe('the port', () => {
  it('is kept by the directory', async () => {
    const { dir, worker } = await testWorker();
    await worker.close();
    const again = await testWorker({ dir, port: 'kept' });
    expect(again.worker.port).toBe(worker.port);
    expect(await lastPort(dir)).toBe(worker.port);
  });

  it('is a new one when the kept port is taken, and the new one is kept', async () => {
    const { dir, worker } = await testWorker();
    await worker.close();
    const other = await testWorker({ port: worker.port });
    const again = await testWorker({ dir, port: 'kept' });
    expect(again.worker.port).not.toBe(other.worker.port);
    expect(await lastPort(dir)).toBe(again.worker.port);
  });

  it('is an error when an explicit port is taken', async () => {
    const { worker } = await testWorker();
    await expect(testWorker({ port: worker.port })).rejects.toThrow('EADDRINUSE');
  });
});

describe('a worker as a process', () => {
  it('outlives the process that launched it, is found again, and comes back at the same port after a kill', async () => {
    const dir = await testDir();
    const first = await launchWorker({ dir, command, port: 0 });
    onTestFinished(() => void stopWorker(first));
    expect((await findWorker(dir))?.pid).toBe(first.pid);
    expect(await adoptWorker(first, 'gateway')).toBe(true);

    process.kill(first.pid, 'SIGKILL');
    await gone(dir);
    const second = await launchWorker({ dir, command });
    expect([second.port, second.pid === first.pid]).toEqual([first.port, false]);

    expect(await stopWorker(second)).toBe(true);
    expect(() => process.kill(second.pid, 0)).toThrow('ESRCH');
    expect(await readFile(join(dir, 'worker.log'), 'utf8')).toContain('Ending: told');
  });

  it('is ended when its start is aborted', async () => {
    const dir = await testDir();
    const wanted = new AbortController();
    const slow = [
      process.execPath,
      '-e',
      'console.log(process.pid); setInterval(() => {}, 1_000)',
      '--',
    ] as const;
    const launching = launchWorker({ dir, command: slow, signal: wanted.signal });
    const pid = expect.poll(async () =>
      Number(await readFile(join(dir, 'worker.log'), 'utf8').catch(() => '')),
    );
    await pid.toBeGreaterThan(0);
    wanted.abort(new Error('not wanted'));
    await expect(launching).rejects.toThrow();
    const started = Number(await readFile(join(dir, 'worker.log'), 'utf8'));
    expect(() => process.kill(started, 0)).toThrow('ESRCH');
  });

  it('refuses to be the second worker of a directory', async () => {
    const { dir, worker } = await testWorker();
    const { code, output } = await run(['--dir', dir, '--port', '0']);
    expect([code, output]).toEqual([
      3,
      `A worker runs in ${dir} already, at ${worker.url} (process ${process.pid}).\n`,
    ]);
    await expect(launchWorker({ dir, command })).rejects.toThrow('ended at once with code 3');
  });

  it('says what to do when the port that it was given is taken', async () => {
    const { worker } = await testWorker();
    const { code, output } = await run(['--dir', await testDir(), '--port', String(worker.port)]);
    expect([code, output]).toEqual([
      1,
      `Port ${worker.port} is in use on 127.0.0.1. Stop what uses it, or name another with --port (0 takes any free one).\n`,
    ]);
  });

  it('ends with 0 on SIGTERM, and with 2 and a sentence on options that it does not understand', async () => {
    const dir = await testDir();
    const child = spawn(command[0], [...command.slice(1), '--dir', dir, '--port', '0']);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    const refusals = await Promise.all([
      run(['--port', '70000', '--dir', dir]),
      run([]),
      run(['--pot', '1']),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(refusals.map(({ output }) => output.split('\n')[0])).toEqual([
      '--port 70000 is not a port: 0 to 65535.',
      '--dir is needed.',
      expect.stringContaining("Unknown option '--pot'"),
    ]);
  });
});

async function run(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(command[0], [...command.slice(1), ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function gone(dir: string): Promise<void> {
  while ((await findWorker(dir)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}
