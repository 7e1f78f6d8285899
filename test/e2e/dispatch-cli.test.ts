import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBinary } from '@switchyard/dev-env/binary';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCredentials } from './credentials-file.ts';

const batchInvert = exampleWorkflow('batch-invert.json');
const resize = exampleWorkflow('resize.json');

const home = temporaryFolder();
const desk = temporaryFolder();
let gateway: SpawnedGateway;
let env: Record<string, string>;

beforeAll(async () => {
  gateway = await SpawnedGateway.start({ home: home.path });
  env = { SWITCHYARD_URL: gateway.url, XDG_CONFIG_HOME: join(desk.path, 'config') };
  const { email, password } = readCredentials(home.path);
  const login = await cli(['login', '--email', email, '--password-stdin'], { input: `${password}\n` });
  expect(login, 'signing in').toMatchObject({ code: 0, stdout: '' });
});

afterAll(async () => {
  await gateway.stop();
  home.remove();
  desk.remove();
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface CliOptions {
  env?: Record<string, string>;
  input?: string;
  /** Sends Ctrl-C as soon as standard error contains this text. */
  interruptAt?: string;
}

/** Runs the built binary in the user's folder. */
async function cli(args: string[], options: CliOptions = {}): Promise<Outcome> {
  const { child, exited } = runBinary({ args, env: { ...env, ...options.env }, cwd: desk.path });
  let { interruptAt } = options;
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout?.on('data', (text: string) => {
    outcome.stdout += text;
  });
  child.stderr?.on('data', (text: string) => {
    outcome.stderr += text;
    if (interruptAt === undefined || !outcome.stderr.includes(interruptAt)) return;
    interruptAt = undefined; // a second one would not let it cancel anything
    child.kill('SIGINT');
  });
  child.stdin?.end(options.input ?? '');
  outcome.code = (await exited).code;
  expect(outcome.stderr, 'a sentence, never a stack').not.toMatch(/^\s+at /m);
  return outcome;
}

async function json(args: string[]) {
  const { code, stdout, stderr } = await cli(args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

function exampleWorkflow(name: string): string {
  return fileURLToPath(new URL(`../../examples/workflows/${name}`, import.meta.url));
}

/** A task that waits for a pool without a server. */
async function waitingTask(): Promise<string> {
  const { stdout } = await cli(['run', batchInvert, '--pool', 'nobody']);
  return stdout.trim();
}

describe('login', () => {
  it('keeps a token that only its owner can read, and not the password', () => {
    const folder = join(desk.path, 'config/switchyard/logins');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain('sy_pat_');
    expect(text).not.toContain(readCredentials(home.path).password);
  });

  it('takes the name admin, and its token is printed for other programs', async () => {
    const { password } = readCredentials(home.path);
    const login = ['login', '--email', 'admin', '--password-stdin'];
    expect(await cli(login, { input: `${password}\n` })).toMatchObject({ code: 0 });
    const { stdout } = await cli(['token']);
    expect(stdout).toMatch(/^sy_pat_\S+\n$/);
    const answer = await fetch(new URL('/api/tasks', gateway.url), {
      headers: { authorization: `Bearer ${stdout.trim()}` },
    });
    expect(answer.status).toBe(200);
  });

  it('ends with 4 for a wrong password', async () => {
    const { email } = readCredentials(home.path);
    const { code, stderr } = await cli(['login', '--email', email, '--password-stdin'], { input: 'wrong\n' });
    expect([code, stderr]).toEqual([4, expect.stringContaining('Incorrect email or password')]);
  });

  it('does not ask when there is no terminal', async () => {
    expect(await cli(['login'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--password-stdin'),
    });
  });
});

describe('run', () => {
  it('runs a workflow on the built-in worker and saves its pictures', async () => {
    const { code, stdout, stderr } = await cli(['run', batchInvert, '--wait', '-o', 'out']);
    expect(code, stderr).toBe(0);
    const paths = stdout.trim().split('\n');
    expect(paths).toHaveLength(8);
    for (const path of paths) {
      expect(path).toMatch(/^out\/.*\.png$/);
      expect(readFileSync(join(desk.path, path)).subarray(1, 4).toString()).toBe('PNG');
    }
    expect(stderr).toContain('completed');
    const { items } = await json(['tasks', 'list', '--status', 'completed', '-o', 'json']);
    expect(items[0]).toMatchObject({ status: 'completed', progress: 100 });
    expect(await cli(['tasks', 'watch', items[0].id])).toMatchObject({ code: 0 });
    expect(await cli(['tasks', 'cancel', items[0].id])).toMatchObject({ code: 6 });
  });

  it('uploads the files that params name, sets the others, and prints JSON alone', async () => {
    const picture = join('out', readdirSync(join(desk.path, 'out'))[0] ?? '');
    const params = ['-p', `Picture.image=@${picture}`, '-p', 'Resize.width=64'];
    const words = ['--name', 'smaller', '--note', 'for the shop'];
    const [task] = await json(['run', resize, ...params, '-o', 'small', '--json', ...words]);
    expect(task).toMatchObject({ name: 'smaller', note: 'for the shop', status: 'completed', warnings: [] });
    expect(task.savedFiles).toHaveLength(1);
    expect(existsSync(join(desk.path, task.savedFiles[0]))).toBe(true);
  });

  it('ends with 1, and the reason, when the task fails', async () => {
    const graph = {
      '1': { class_type: 'EmptyImage', inputs: { width: -5, height: 8, batch_size: 1, color: 0 } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
    };
    writeFileSync(join(desk.path, 'broken.json'), JSON.stringify(graph));
    const { code, stdout, stderr } = await cli(['run', 'broken.json', '--wait']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/Task \S+ failed: .*width/s);
  });

  it('refuses a param that matches no input, names the nearest ones, and submits no task', async () => {
    const { total } = await json(['tasks', 'list', '-o', 'json']);
    const { code, stdout, stderr } = await cli(['run', resize, '-p', 'Resize.widht=64']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('"Resize.widht" fits nothing in the workflow. Nearest: "Resize.width"');
    expect((await json(['tasks', 'list', '-o', 'json'])).total).toBe(total);
  });

  it('says how to send a file that no worker has, in a form that works', async () => {
    const missing = await cli(['run', resize, '--wait']);
    expect(missing.code).toBe(1);
    const [, param = ''] = /Send the file along: -p (\S+)=@FILE/.exec(missing.stderr) ?? [];
    const picture = join('out', readdirSync(join(desk.path, 'out'))[0] ?? '');
    expect(await cli(['run', resize, '--wait', '-p', `${param}=@${picture}`])).toMatchObject({ code: 0 });
  });

  it('cancels its task on Ctrl-C and ends with 130', async () => {
    const name = 'interrupted';
    const run = cli(['run', batchInvert, '--wait', '--count', '3', '--name', name, '-p', 'Light.color=7'], {
      interruptAt: 'running',
    });
    expect(await run).toMatchObject({ code: 130, stderr: expect.stringContaining('Cancelling 3 tasks') });
    const { items } = await json(['tasks', 'list', '--search', name, '-o', 'json']);
    expect(items.map(({ error }: { error: { code: string } }) => error.code)).toEqual(
      Array(3).fill('cancelled'),
    );
  });

  it('gives the worker extra data and the outputs to run, its secrets shown masked', async () => {
    const file = join(desk.path, 'extra.json');
    writeFileSync(file, JSON.stringify({ api_key_comfy_org: 'comfyui-1', note: 'mine' }));
    const graph = JSON.parse(readFileSync(batchInvert, 'utf8')) as Record<string, { class_type: string }>;
    const only = Object.keys(graph).find((id) => graph[id]?.class_type === 'SaveImage') ?? '';
    const args = ['run', batchInvert, '--pool', 'nobody', '--json', '--extra-data', file, '--only', only];
    const [task] = await json(args);
    expect(task).toMatchObject({
      extraData: { api_key_comfy_org: '***', note: 'mine' },
      partialExecutionTargets: [only],
    });
    await cli(['tasks', 'cancel', task.id]);
    const refused = await cli(['run', batchInvert, '--only', 'nowhere']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no node nowhere') });
    expect(await cli(['run', batchInvert, '--extra-data', 'missing.json'])).toMatchObject({ code: 2 });
  });

  it('ends with 2 for a missing file, before anything is sent', async () => {
    const { total } = await json(['files', 'list', '-o', 'json']);
    expect(await cli(['run', 'missing.json'])).toMatchObject({ code: 2 });
    expect(await cli(['run', batchInvert, '-p', 'a=@out', '-p', 'b=@missing.png'])).toMatchObject({
      code: 2,
    });
    expect((await json(['files', 'list', '-o', 'json'])).total).toBe(total);
  });
});

describe('tasks', () => {
  it('say why they wait, are cancelled while they do, and submitted again', async () => {
    const id = await waitingTask();
    const why = await json(['tasks', 'why', id, '-o', 'json']);
    expect(why).toMatchObject({ taskId: id, status: 'pending', totals: { couldRun: 0 } });
    expect((await cli(['tasks', 'why', id])).stdout).toContain(why.waiting);
    expect((await cli(['tasks', 'list', '--status', 'pending'])).stdout).toContain(why.waiting);
    expect(await cli(['tasks', 'nodes', id])).toMatchObject({ code: 0, stdout: '' });
    expect(await cli(['tasks', 'cancel', id])).toMatchObject({ code: 0 });
    expect((await cli(['tasks', 'get', id])).stdout).toMatch(/^status +cancelled$/m);
    expect((await cli(['tasks', 'list'])).stdout).toMatch(new RegExp(`^${id} +cancelled `, 'm'));
    const [copy] = await json(['tasks', 'retry', id, '-o', 'json']);
    expect(copy).toMatchObject({ status: 'pending', pool: 'nobody' });
    await cli(['tasks', 'cancel', copy.id]);
  });

  it('are followed until they end, or until the user stops', async () => {
    const id = await waitingTask();
    const watched = cli(['tasks', 'watch', id]);
    await cli(['tasks', 'cancel', id]);
    expect(await watched).toMatchObject({ code: 1, stderr: expect.stringContaining('Cancelled') });
    const everything = runBinary({ args: ['tasks', 'watch', '-o', 'json'], env, cwd: desk.path });
    const [first] = await once(everything.child.stdout as NodeJS.ReadableStream, 'data');
    expect(JSON.parse(String(first).split('\n')[0] ?? '')).toMatchObject({ type: 'global_status' });
    everything.child.kill('SIGINT');
    expect(await everything.exited).toMatchObject({ code: 130 });
  });
});

describe('files', () => {
  it('are uploaded, listed, downloaded without replacing other files, and deleted', async () => {
    writeFileSync(join(desk.path, 'note.txt'), 'a note');
    const [uploaded] = await json(['files', 'upload', 'note.txt', '-o', 'json']);
    expect(uploaded).toMatchObject({ filename: 'note.txt', size: 6 });
    expect((await cli(['files', 'list', '--source', 'upload'])).stdout).toContain('note.txt');
    const { stdout } = await cli(['files', 'download', uploaded.fileId]);
    expect(stdout).toBe('note (2).txt\n');
    expect(readFileSync(join(desk.path, 'note (2).txt'), 'utf8')).toBe('a note');
    expect(await cli(['files', 'delete', 'unknown', uploaded.fileId])).toMatchObject({
      code: 5,
      stdout: `${uploaded.fileId}\n`,
      stderr: expect.stringContaining('unknown: No such file'),
    });
    expect(await cli(['files', 'download', uploaded.fileId])).toMatchObject({ code: 5 });
  });
});

describe('the gateway', () => {
  it('is found in its data home by the file that it keeps there', async () => {
    const found = await cli(['instances', 'list'], {
      env: { SWITCHYARD_URL: '', SWITCHYARD_HOME: home.path },
    });
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('Built-in reference worker') });
  });

  it('that is down ends a command with 7', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    for (const args of [
      ['tasks', 'list'],
      ['tasks', 'watch'],
      ['run', batchInvert, '--wait'],
      ['instances', 'list'],
    ]) {
      const { code, stderr } = await cli([...args, '--url', url]);
      expect([args, code, stderr]).toEqual([args, 7, expect.stringContaining('switchyard up')]);
    }
  });

  it('does not accept a wrong token, which ends with 4 and says how to sign in', async () => {
    for (const args of [
      ['tasks', 'list'],
      ['tasks', 'watch'],
      ['files', 'upload', batchInvert],
    ]) {
      const { code, stderr } = await cli([...args, '--token', 'wrong']);
      expect([args, code, stderr]).toEqual([args, 4, expect.stringContaining('switchyard login')]);
    }
  });

  it('answers an unknown id, which ends with 5', async () => {
    for (const args of [
      ['tasks', 'get'],
      ['tasks', 'cancel'],
      ['instances', 'test'],
      ['files', 'delete'],
    ]) {
      expect([args, (await cli([...args, 'unknown'])).code]).toEqual([args, 5]);
    }
  });
});

// This comes last, because the built-in worker stops when a real one is added.
describe('instances', () => {
  it('are added, tested, drained, enabled and removed', async () => {
    const worker = await startReferenceWorker();
    const id = `127.0.0.1:${worker.port}`;
    expect(await cli(['instances', 'add', id, '--tag', 'mine'])).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
      stderr: expect.stringMatching(/^Added\. It answers: version /),
    });
    const shown = await cli(['instances', 'show', id]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^device +/m) });
    expect((await cli(['instances', 'show', id, '--events'])).stdout).toMatch(/ up .*It answers/);
    expect(await json(['instances', 'show', id, '-o', 'json'])).toMatchObject({
      id,
      events: expect.any(Array),
    });
    expect(await cli(['instances', 'add', id])).toMatchObject({ code: 6 });
    expect(await cli(['instances', 'test', id])).toMatchObject({ code: 0 });
    expect((await cli(['run', batchInvert, '--wait', '--on', id])).code).toBe(0);
    expect(await cli(['instances', 'disable', id])).toMatchObject({ code: 0 });
    const flags = async () =>
      ((await json(['instances', 'list', '-o', 'json'])) as { id: string; enabled: boolean }[])
        .filter((instance) => instance.id === id)
        .map(({ enabled }) => enabled);
    expect(await flags()).toEqual([false]);
    expect(await cli(['instances', 'enable', id])).toMatchObject({ code: 0 });
    expect(await flags()).toEqual([true]);
    await worker.close();
    expect(await cli(['instances', 'test', id])).toMatchObject({ code: 1 });
    expect(await cli(['instances', 'remove', id])).toMatchObject({ code: 0 });
    expect(await cli(['instances', 'remove', id])).toMatchObject({ code: 5 });
  });
});

describe('logout', () => {
  it('leaves no token, here or at the gateway', async () => {
    expect(await cli(['logout'])).toMatchObject({ code: 0 });
    expect(readdirSync(join(desk.path, 'config/switchyard/logins'))).toEqual([]);
    expect(await cli(['tasks', 'list'])).toMatchObject({ code: 4 });
    expect(await cli(['token'])).toMatchObject({ code: 4, stdout: '' });
    expect(await cli(['logout'])).toMatchObject({ code: 5 });
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
