import { type FakeOpenAi, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { firstAdmin } from './support/first-admin.ts';
import { type McpTaskServer, startMcpTaskServer } from './support/mcp-task-server.ts';

let model: FakeOpenAi;
let far: McpTaskServer;
let folder: ReturnType<typeof temporaryFolder>;
let gateway: DevGateway;
let ada: ConversationCaller;

beforeAll(async () => {
  model = await startFakeOpenAi(({ messages, tools }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `It said ${last.content}` };
    if (!tools.includes('far_paint')) return { text: 'ok' };
    return { calls: [{ id: 'call_1', name: 'far_paint', args: { motif: 'sea' } }] };
  });
});
afterAll(() => model.close());

beforeEach(async () => {
  far = await startMcpTaskServer();
  folder = temporaryFolder();
  gateway = await open();
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  const { token } = await firstAdmin(gateway);
  const answer = await gateway.fetch('/api/mcp/config', {
    method: 'PUT',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify({ mcp_servers: { far: { type: 'http', url: far.url } } }),
  });
  expect(answer.status).toBe(200);
});
afterEach(async () => {
  await gateway.stop();
  await far.close();
  folder.remove();
});

function open(): Promise<DevGateway> {
  const models = readModels({ fake: { base_url: model.url, api_key: 'sk-test', model: 'fake-1' } });
  return startGateway({ home: folder.path, config: { database: { backend: 'sqlite' }, models } });
}

/** Starts a run whose agent calls the tool, and waits until the other server has its task. */
async function paint() {
  const threadId = await ada.thread();
  const { run_id: runId } = await ada.run(threadId, {
    assistant_id: 'lead_agent',
    input: says('paint'),
    stream_mode: ['custom', 'values'],
  });
  await expect.poll(() => far.tasks.size).toBe(1);
  return { threadId, runId };
}

const move = (to: object) => Object.assign(far.tasks.get('task-1') ?? {}, to);
const painted = { status: 'completed', result: { content: [{ type: 'text', text: 'a painted sea' }] } };
const lastAnswer = async (threadId: string) =>
  (await ada.ok('GET', `/threads/${threadId}/state`)).values.messages.at(-1).content;
const progressOf = async (threadId: string, runId: string) =>
  (await ada.replay(threadId, runId))
    .map(({ data }) => data)
    .filter(({ type }) => type === 'external_task_progress');

it('follows a task to its end, shows how far it is, and is not troubled by a server that is away for a while', async () => {
  const { threadId, runId } = await paint();
  far.isAway = true;
  move({ statusMessage: 'Half of the sea', pollIntervalMs: 250 });
  far.isAway = false;
  const stream = await ada.open('GET', `/threads/${threadId}/runs/${runId}/stream`);
  await stream.until(({ data }) => data.message === 'Half of the sea');
  stream.leave();
  move(painted);
  await ada.ended(threadId, runId);
  expect(await lastAnswer(threadId)).toBe('It said a painted sea');
  expect((await progressOf(threadId, runId)).at(-1)).toEqual({
    type: 'external_task_progress',
    tool_call_id: 'call_1',
    status: 'completed',
    message: 'Half of the sea',
  });
});

it('finds its task again when the gateway has started again', async () => {
  const { threadId, runId } = await paint();
  await gateway.stop();
  move(painted);
  gateway = await open();
  ada = ada.atReplica(gateway.url);
  await ada.ended(threadId, runId);
  expect(await lastAnswer(threadId)).toBe('It said a painted sea');
  expect(far.tasks.size).toBe(1);
});

it('cancels the task with its run', async () => {
  const { threadId, runId } = await paint();
  await ada.ok('POST', `/threads/${threadId}/runs/${runId}/cancel?wait=true`);
  await expect.poll(() => far.tasks.get('task-1')?.status).toBe('cancelled');
});

it('asks a human what the task wants to know, one question after the other', async () => {
  const { threadId, runId } = await paint();
  const question = (message: string, properties: object) => ({
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties } },
  });
  move({
    status: 'input_required',
    inputRequests: { size: question('How large?', { width: { type: 'integer', default: 512 } }) },
  });
  await ada.ended(threadId, runId);
  const answer = async (decision: object) => {
    const { run_id: next } = await ada.run(threadId, {
      assistant_id: 'lead_agent',
      command: { resume: { decisions: [decision] } },
    });
    return next;
  };
  const asked = async () => (await ada.ok('GET', `/threads/${threadId}`)).interrupts;
  expect(Object.values(await asked()).flat()).toMatchObject([
    {
      value: {
        actionRequests: [{ name: 'far_paint', description: 'How large?', args: { width: 512 } }],
        reviewConfigs: [{ allowedDecisions: ['approve', 'edit', 'reject'] }],
      },
    },
  ]);

  const second = await answer({ type: 'edit', edited_action: { name: 'far_paint', args: { width: 64 } } });
  await expect
    .poll(() => far.tasks.get('task-1')?.answers)
    .toEqual({
      size: { action: 'accept', content: { width: 64 } },
    });
  move({ status: 'input_required', inputRequests: { frame: question('With a frame?', {}) } });
  await ada.ended(threadId, second);
  expect(JSON.stringify(await asked())).toContain('With a frame?');

  const third = await answer({ type: 'reject' });
  await expect.poll(() => far.tasks.get('task-1')?.answers).toMatchObject({ frame: { action: 'decline' } });
  move({ ...painted, inputRequests: undefined });
  await ada.ended(threadId, third);
  expect(await lastAnswer(threadId)).toBe('It said a painted sea');
  expect(far.tasks.size).toBe(1);
});

it('tells the model why a task has failed', async () => {
  const { threadId, runId } = await paint();
  move({ status: 'failed', error: { code: -32603, message: 'The easel broke.' } });
  await ada.ended(threadId, runId);
  expect(await lastAnswer(threadId)).toContain('The easel broke.');
});
