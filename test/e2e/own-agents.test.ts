import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBinary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
let gateway: SpawnedGateway;
let session: HttpSession;

beforeAll(async () => {
  cpSync(join(root, 'examples/agents'), folder.path, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(
    join(folder.path, 'src/faulty.ts'),
    "import { x } from './notes.ts';\nexport const graph: = x;\n",
  );
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    'version: 1\nagents: ["faulty=./src/faulty.ts:graph"]\n',
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
  session = await HttpSession.register(gateway.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
});

afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

describe('agents of a langgraph.json beside the gateway', () => {
  it('are found in TypeScript, and a faulty one is left out', async () => {
    const assistants = await session.post<{ name: string; description: string }[]>(
      '/api/assistants/search',
      {},
    );

    expect(assistants.map(({ name }) => name)).toEqual(['lead_agent', 'notes', 'approval']);
    expect(assistants[1]?.description).toContain('Remembers what you tell it');
    expect(gateway.output()).toContain('src/faulty.ts:2: ');
  });

  it('appear in the banner, and a faulty one with its line and cause', async () => {
    await expect.poll(() => gateway.output()).toContain('Ctrl-C');
    expect(gateway.output()).toContain('  Agents    notes, approval (and the built-in lead_agent)\n');
    expect(gateway.output()).toMatch(/^ {2}Left out: faulty: src\/faulty\.ts:2: \S+/m);
  });

  it('run, and keep a user’s notes', async () => {
    expect(await ask('remember the milk')).toBe('I will remember: the milk');
    expect(await ask('what is there?')).toBe('- the milk');
  });

  it('stop for a person and go on with the answer', async () => {
    const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
    const run = (body: object) =>
      session.post<{ messages: { content: string }[] }>(`/api/threads/${thread}/runs/wait`, {
        assistant_id: 'approval',
        ...body,
      });
    await run({ input: { messages: [{ role: 'user', content: 'lunch is at noon' }] } });
    expect(await session.get(`/api/threads/${thread}`)).toMatchObject({ status: 'interrupted' });

    const { messages } = await run({ command: { resume: true } });
    expect(messages.at(-1)?.content).toBe('Sent: Dear all, lunch is at noon');
  });

  it('go on from the command line in their thread, and get their answers', async () => {
    const asked = await cli('chat', '--agent', 'approval', 'lunch is at noon');
    expect(asked.output).toContain('Send this?');
    const thread = /--thread (\S+)/.exec(asked.output)?.[1] ?? '';
    expect((await cli('chat', '--thread', thread, 'true')).output).toContain(
      'Sent: Dear all, lunch is at noon',
    );
    await cli('chat', '--thread', thread, 'dinner too');
    expect((await cli('chat', '--thread', thread, 'false')).output).toContain('Not sent.');
    const runs = await session.get<{ assistant_id: string }[]>(`/api/threads/${thread}/runs`);
    expect(runs.map(({ assistant_id: id }) => id)).toEqual(Array(4).fill('approval'));
  });

  it('are listed on the command line with file and state', async () => {
    const { output } = await cli('agents', 'list');
    expect(output).toMatch(/^lead_agent +built in +loaded/m);
    expect(output).toMatch(/^notes +src\/notes\.ts:graph +loaded/m);
    expect(output).toMatch(/^faulty +src\/faulty\.ts:graph +refused: src\/faulty\.ts:2: /m);
  });
});

async function cli(...args: string[]): Promise<{ output: string }> {
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'desk',
    scopes: ['conversation:read', 'conversation:write'],
  });
  const env = { SWITCHYARD_URL: gateway.url, SWITCHYARD_TOKEN: token };
  const run = runBinary({ args, env, cwd: folder.path });
  run.child.stdin?.end();
  const { code } = await run.exited;
  expect(code, run.output()).toBe(0);
  return { output: run.output() };
}

async function ask(text: string): Promise<string | undefined> {
  const values = await session.post<{ messages: { content: string }[] }>('/api/runs/wait', {
    assistant_id: 'notes',
    input: { messages: [{ role: 'user', content: text }] },
  });
  return values.messages.at(-1)?.content;
}
