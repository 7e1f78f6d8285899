import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';
import { anyWorkflow } from '../../packages/server/test/support/dispatch-pool.ts';

/** Clients that need a later Node than the gateway, as people install them. The test installs them for itself. */
const clients = {
  openai: '7.59.0',
  ai: '7.0.173',
  '@ai-sdk/openai': '4.0.118',
  '@ai-sdk/openai-compatible': '3.0.92',
};

const folder = temporaryFolder();
let provider: FakeOpenAi;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let gateway: SpawnedGateway;
let token: string;

/** A model that paints and asks for the weather when it is told to. */
function answerOf({ messages, model }: FakeRequest): FakeReply {
  const last = messages.at(-1);
  if (model === 'gpt-eyes') return { text: `I see ${last.content[1].image_url.url.slice(0, 14)}` };
  if (last.role === 'tool')
    return { text: last.content.startsWith('rain') ? `It says ${last.content}.` : 'Done.' };
  if (last.content === 'Weather?')
    return { calls: [{ id: 'call_1', name: 'weather', args: { city: 'Oslo' } }] };
  if (last.content === 'Paint')
    return { calls: [{ id: 'call_2', name: 'run_workflow', args: { workflow: anyWorkflow } }] };
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  return { text: `You said ${asked.join(', ')}` };
}

beforeAll(async () => {
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ type: 'module', dependencies: clients }));
  const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', install, { cwd: folder.path, stdio: 'pipe' });
  provider = await startFakeOpenAi(answerOf);
  const model = (name: string, more = '') =>
    `  ${name}:\n    base_url: ${provider.url}\n    api_key: none\n    model: gpt-${name}\n${more}`;
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    `version: 1\nauth:\n  bootstrap: interactive\ntitle:\n  enabled: false\nmodels:\n${model('fast')}${model('eyes', '    supports_vision: true\n')}`,
  );
  worker = await startReferenceWorker();
  gateway = await SpawnedGateway.start({ home: folder.path });
  await (await DispatchCaller.initialize(gateway.url)).useWorkers([worker.port]);
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  const session = await HttpSession.register(gateway.url, account);
  const scopes = ['conversation:read', 'conversation:write', 'dispatch:read', 'dispatch:write'];
  ({ token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'x', scopes }));
  const parameters = [{ name: 'filename_prefix', rename: 'prompt' }];
  const saved = await fetch(`${gateway.url}/api/workflows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'poster', workflow: anyWorkflow, exposed: true, parameters }),
  });
  expect(saved.status).toBe(200);
});
afterAll(async () => {
  await gateway?.stop();
  await worker?.close();
  await provider?.close();
  folder.remove();
});

it('openai 7 and the AI SDK, unmodified on Node 24, talk, stream, use tools, show pictures and see what is refused', async () => {
  copyFileSync(
    fileURLToPath(new URL('openai-clients/tour.mjs', import.meta.url)),
    join(folder.path, 'tour.mjs'),
  );
  const command = ['--prefer-offline', '-y', '-p', 'node@24', 'node', 'tour.mjs', gateway.url, token];
  const { stdout } = await promisify(execFile)('npx', command, { cwd: folder.path });
  const { library, responses, chat } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  const picture = expect.stringMatching(/^Done\.\n\n!\[[^\]]+\]\(http[^)]+\)$/);

  expect(library).toEqual({
    models: expect.arrayContaining(['lead_agent', 'model/fast', 'workflow/poster']),
    words: ['You ', 'said ', 'Hello'],
    ran: 'It says rain in Oslo.',
    responses: ['You said Hello', 'You said Hello, Again'],
    picture,
    image: 'iVBORw0KGgo',
    refused: expect.stringMatching(/^404: 404 There is no model 'gpt-4'/),
  });
  for (const sdk of [responses, chat])
    expect(sdk).toEqual({
      text: 'You said Hello',
      tokens: 15,
      words: ['You ', 'said ', 'Hello'],
      ran: 'It says rain in Oslo.',
      picture,
      reasoning: expect.stringContaining('Uses run_workflow.'),
      next: 'You said Hello, Again',
      seen: 'I see data:image/png',
      refused: expect.stringMatching(/^404: There is no model 'gpt-4'/),
    });
});
