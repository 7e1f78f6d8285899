import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBinary } from '@switchyard/dev-env/binary';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCredentials } from './credentials-file.ts';

const workflow = fileURLToPath(new URL('../../examples/workflows/batch-invert.json', import.meta.url));

const home = temporaryFolder();
let gateway: SpawnedGateway;
let env: Record<string, string>;

beforeAll(async () => {
  gateway = await SpawnedGateway.start({ home: home.path });
  env = { SWITCHYARD_URL: gateway.url, XDG_CONFIG_HOME: join(home.path, 'config') };
  const { email, password } = readCredentials(home.path);
  const login = runBinary({ args: ['login', '--email', email, '--password-stdin'], env, cwd: home.path });
  login.child.stdin?.end(`${password}\n`);
  expect(await login.exited, login.output()).toEqual({ code: 0, signal: null });
});

afterAll(async () => {
  await gateway.stop();
  home.remove();
});

async function cli(args: string[], changed: Record<string, string> = {}) {
  const run = runBinary({ args, env: { ...env, ...changed }, cwd: home.path });
  const { code } = await run.exited;
  return { code, output: run.output() };
}

it('runs a workflow on the built-in worker and brings the pictures', async () => {
  const out = join(home.path, 'out');
  const { code, output } = await cli(['run', workflow, '-o', out]);
  expect(code, output).toBe(0);
  expect(readdirSync(out).filter((name) => name.endsWith('.png'))).toHaveLength(8);
  const tasks = JSON.parse((await cli(['tasks', 'list', '-o', 'json'])).output);
  expect(JSON.stringify(tasks)).toContain('"completed"');
});

it('lists instances, and stores, lists and deletes a file', async () => {
  expect((await cli(['instances', 'list'])).output).toContain('Built-in reference worker');
  const uploaded = await cli(['files', 'upload', workflow]);
  expect(uploaded.code, uploaded.output).toBe(0);
  const files = JSON.parse((await cli(['files', 'list', '-o', 'json'])).output);
  const list = (Array.isArray(files) ? files : files.items) as { fileId: string; source: string }[];
  const upload = list.find(({ source }) => source === 'upload');
  expect(upload).toBeDefined();
  expect((await cli(['files', 'delete', upload?.fileId ?? ''])).code).toBe(0);
});

it('cancels a task that waits', async () => {
  const submitted = await cli(['run', workflow, '--pool', 'nobody', '--json']);
  const id = /[0-9a-f-]{36}/.exec(submitted.output)?.[0] ?? '';
  expect((await cli(['tasks', 'cancel', id])).code).toBe(0);
  expect((await cli(['tasks', 'get', id])).output).toContain('cancelled');
});

it('says what is wrong by its exit code', async () => {
  expect((await cli(['tasks', 'list'], { SWITCHYARD_TOKEN: 'wrong' })).code, 'a wrong token').toBe(4);
  expect((await cli(['tasks', 'get', 'nobody'])).code, 'an unknown task').toBe(5);
  expect((await cli(['tasks', 'list'], { SWITCHYARD_URL: 'http://127.0.0.1:9' })).code, 'no gateway').toBe(7);
  expect((await cli(['run', join(home.path, 'missing.json')])).code, 'no such file').not.toBe(0);
  expect(existsSync(join(home.path, 'missing.json'))).toBe(false);
});
