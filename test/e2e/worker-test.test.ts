import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BinaryRun, binary, runBinary } from '@switchyard/dev-env/binary';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, describe, expect, it } from 'vitest';

const folder = temporaryFolder();
const dir = join(folder.path, 'worker');
let worker: BinaryRun | undefined;

afterAll(async () => {
  if (worker) process.kill(workerFile().pid);
  await worker?.exited;
  folder.remove();
});

const workerFile = () =>
  JSON.parse(readFileSync(join(dir, 'worker.json'), 'utf8')) as { pid: number; port: number };

/** Ends the running worker, starts another one on its port, and ends when that one answers. */
const restartScript = `
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
const file = () => JSON.parse(readFileSync(process.argv[2] + '/worker.json', 'utf8'));
const { pid, port } = file();
process.kill(pid, 'SIGKILL');
const until = async (isSo) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};
const answers = () => fetch('http://127.0.0.1:' + port + '/prompt').then(({ ok }) => ok, () => false);
await until(async () => !(await answers()));
const args = [process.argv[3], 'worker', '--dir', process.argv[2], '--port', String(port), '--faults'];
spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).unref();
await until(answers);
`;

async function testOf(url: string, ...args: string[]) {
  const run = runBinary({ args: ['worker', 'test', url, ...args], cwd: folder.path });
  const { code } = await run.exited;
  return { code, output: run.output() };
}

describe('switchyard worker test', () => {
  it('finds that the built reference worker follows the protocol, including restarts', async () => {
    worker = runBinary({ args: ['worker', '--dir', dir, '--port', '0', '--faults'], cwd: folder.path });
    const started = worker;
    await expect.poll(() => started.output()).toContain('Reference worker at');
    const script = join(folder.path, 'restart.mjs');
    writeFileSync(script, restartScript);
    const command = [process.execPath, script, dir, binary].map((part) => `"${part}"`).join(' ');
    const { port } = workerFile();
    const { code, output } = await testOf(`http://127.0.0.1:${port}`, '--restart-command', command);
    expect(output).not.toMatch(/^(differs|not applicable)/m);
    expect(output).toMatch(/^ok +A2: takes a UUID as prompt_id \(0\.3\.64 and later\)$/m);
    expect(output).toMatch(/^ok +A6: closes its sockets when it restarts/m);
    expect(output).toMatch(/^\d+ ok, 0 differ, 0 not applicable\.$/m);
    expect(code).toBe(0);
  });

  it('says why a fact about restarts cannot be seen without a command', async () => {
    const { code, output } = await testOf(`http://127.0.0.1:${workerFile().port}`, '--only', 'restarts');
    expect(output).toMatch(/^not applicable +A6: closes its sockets.*\n +it cannot be restarted from here/m);
    expect(code).toBe(0);
  });

  it('ends with 1 for a server that breaks the protocol, and says what it did', async () => {
    const fake = await FakeWorker.start();
    const { code, output } = await testOf(`http://127.0.0.1:${fake.port}`, '--only', 'upload limit');
    await fake.close();
    expect(output).toMatch(/^differs +A5: names the upload limit in \/features/m);
    expect(output).toContain('1 fact that the gateway needs differs.');
    expect(code).toBe(1);
  });

  it('ends with 7 when no server answers, and with 2 for words that no fact has', async () => {
    const fake = await FakeWorker.start();
    const url = `http://127.0.0.1:${fake.port}`;
    expect((await testOf(url, '--only', 'no such words')).code).toBe(2);
    await fake.close();
    const { code, output } = await testOf(url);
    expect([code, output]).toEqual([7, expect.stringContaining('does not answer as a ComfyUI server does')]);
  });
});
