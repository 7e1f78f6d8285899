import { join } from 'node:path';
import { runBinary } from '@switchyard/dev-env/binary';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCredentials } from './credentials-file.ts';

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

interface CliOptions {
  input?: string;
  /** Sends Ctrl-C as soon as standard output contains this text. */
  interruptAt?: string;
}

/** Runs the built binary in the user's folder. */
async function cli(args: string[], { input = '', interruptAt }: CliOptions = {}) {
  const { child, exited } = runBinary({ args, env, cwd: desk.path });
  const outcome = { code: null as number | null, stdout: '', stderr: '' };
  let interrupt = interruptAt;
  child.stdout?.on('data', (text: string) => {
    outcome.stdout += text;
    if (interrupt === undefined || !outcome.stdout.includes(interrupt)) return;
    interrupt = undefined; // a second one would not let it cancel anything
    child.kill('SIGINT');
  });
  child.stderr?.on('data', (text: string) => {
    outcome.stderr += text;
  });
  child.stdin?.end(input);
  outcome.code = (await exited).code;
  expect(outcome.stderr, 'a sentence, never a stack').not.toMatch(/^\s+at /m);
  return outcome;
}

async function json(args: string[]) {
  const { code, stdout, stderr } = await cli([...args, '-o', 'json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

function threadIn(stderr: string): string {
  return /--thread (\S+)/.exec(stderr)?.[1] ?? '';
}

describe('switchyard chat', () => {
  it('streams an answer that is marked as simulated, and keeps the conversation', async () => {
    const { code, stdout, stderr } = await cli(['chat', 'what can you do?']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^I am the demo model/);
    expect(stderr).toContain('(A simulated answer of switchyard-demo');
    const thread = threadIn(stderr);
    expect((await cli(['threads', 'show', thread])).stdout).toContain(
      '\n[you]\nwhat can you do?\n\n[ai]\nI am the demo model',
    );
    const [run] = await json(['runs', 'list', thread]);
    expect(run).toMatchObject({ status: 'success', first_human_message: 'what can you do?' });
    const events: { event_type: string }[] = await json(['runs', 'events', thread, run.run_id]);
    const types = events.map(({ event_type }) => event_type);
    expect(types).toEqual(expect.arrayContaining(['human_message', 'ai_message', 'run_end']));
    expect((await json(['runs', 'show', thread, run.run_id])).total_tokens).toBeGreaterThan(0);
  });

  it('runs a workflow on the pool for an agent, and shows the tool and its result', async () => {
    const { code, stdout, stderr } = await cli(['chat'], { input: 'invert a picture\n' });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/made 1 file/);
    expect(stderr).toMatch(/^→ run_workflow /m);
    expect(stderr).toMatch(/^ {2}task \S+ completed$/m);
    expect(stderr).toMatch(/^✓ run_workflow {2}/m);
  });

  it('cancels the run with Ctrl-C, and leaves a thread that can continue', async () => {
    const before = await json(['threads', 'list']);
    const stopped = await cli(['chat', 'what can you do?'], { interruptAt: 'I am the demo' });
    expect(stopped.code, stopped.stderr).toBe(130);
    const threads: { thread_id: string; status: string }[] = await json(['threads', 'list']);
    expect(threads).toHaveLength(before.length + 1);
    const [{ thread_id: thread = '', status = '' } = {}] = threads;
    expect(status).toBe('idle');
    const [run] = await json(['runs', 'list', thread]);
    expect(run.status).toBe('interrupted');
    const again = await cli(['runs', 'cancel', thread, run.run_id, '--wait']);
    expect(again.code, again.stderr).toBe(0);
    const next = await cli(['chat', '--thread', thread, 'who are you?']);
    expect(next.code, next.stderr).toBe(0);
    expect(next.stdout).not.toBe('');
  });
});

describe('switchyard threads delete', () => {
  it('removes everything of the thread', async () => {
    const { stderr } = await cli(['chat', 'who are you?']);
    const thread = threadIn(stderr);
    expect((await cli(['threads', 'delete', thread])).code).toBe(0);
    expect((await cli(['threads', 'show', thread])).code).toBe(5);
    expect((await cli(['runs', 'list', thread])).code).toBe(5);
    expect((await cli(['chat', '--thread', thread, 'hello?'])).code).toBe(5);
  });
});
