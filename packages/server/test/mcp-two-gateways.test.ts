import { startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { readModels } from '@switchyard/server/config/models';
import { expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { firstAdmin } from './support/first-admin.ts';
import { McpCallers } from './support/mcp-callers.ts';

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ground' } },
};

it('lets the agent of one gateway run workflows and ask agents of another, as tasks', async () => {
  const far = await startGateway({ config: { agents: fixtureAgents } });
  const worker = await startReferenceWorker();
  await (await DispatchCaller.initialize(far.url)).useWorkers([worker.port]);
  const { token } = await McpCallers.of(far.url, await far.register('bob@example.com'));
  const pool = await DispatchCaller.login(far.url, 'bob@example.com');
  await pool.call('POST', '/api/workflows', { name: 'Plain ground', workflow, exposed: true });

  let calls = 0;
  const model = await startFakeOpenAi(({ messages, tools }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `It said ${last.content}` };
    if (!tools.includes('far_ask_approval')) return { text: 'not yet' };
    calls += 1;
    const isAsked = JSON.stringify(messages).includes('ask the other one');
    const call = isAsked
      ? { name: 'far_ask_approval', args: { input: { plan: 'sail' } } }
      : { name: 'far_workflow_plain_ground', args: {} };
    return { calls: [{ id: `call_${calls}`, ...call }] };
  });
  const models = readModels({ fake: { base_url: model.url, api_key: 'sk-test', model: 'fake-1' } });
  const near = await startGateway({ config: { models } });
  const ada = await ConversationCaller.of(near.url, await near.register('ada@example.com'));
  const server = { type: 'http', url: `${far.url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  const answer = await near.fetch('/api/mcp/config', {
    method: 'PUT',
    headers: { 'x-api-key': (await firstAdmin(near)).token, 'content-type': 'application/json' },
    body: JSON.stringify({ mcp_servers: { far: server } }),
  });
  expect(answer.status).toBe(200);

  const said = async (threadId: string, body: object) =>
    (await ada.wait(threadId, { assistant_id: 'lead_agent', ...body })).messages.at(-1).content;
  // The first run may come before the tools of the other gateway.
  await expect
    .poll(async () => said(await ada.thread(), { input: says('paint') }))
    .toMatch(/"status":"completed".*image\/png: \/mnt\/user-data\/outputs\/far_workflow_plain/s);

  const threadId = await ada.thread();
  await said(threadId, { input: says('ask the other one') });
  const { interrupts } = await ada.ok('GET', `/threads/${threadId}`);
  expect(JSON.stringify(interrupts)).toContain('May I sail?');
  const edited_action = { name: 'far_ask_approval', args: { answer: 'yes' } };
  const decisions = [{ type: 'edit', edited_action }];
  expect(await said(threadId, { command: { resume: { decisions } } })).toContain('answered \\"yes\\"');

  await near.stop();
  await far.stop();
  await worker.close();
  await model.close();
});
