import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, held } from './support/dispatch-pool.ts';
import { McpCallers } from './support/mcp-callers.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
type Answer = any;

const workflow = {
  ...anyWorkflow,
  '3': { class_type: 'KSampler', inputs: { seed: 41, latent: ['1', 0] } },
};

let server: ConversationGateway;
let worker: FakeWorker;
let pool: DispatchCaller;
let ada: McpCallers;
let bob: McpCallers;

beforeAll(async () => {
  server = await startConversation();
  const { gateway } = server;
  worker = await FakeWorker.start({
    ...held,
    outputBytes: 64,
    outputName: 'GIF89a.gif',
    nodeClasses: ['EmptyImage', 'SaveImage', 'KSampler'],
  });
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  ada = await McpCallers.of(gateway.url, await gateway.register('carla@example.com'));
  bob = await McpCallers.of(gateway.url, await gateway.register('dora@example.com'));
  pool = await DispatchCaller.login(gateway.url, 'carla@example.com');
  const saved = await pool.call('POST', '/api/workflows', { name: 'Plain ground', workflow, exposed: true });
  expect(saved).toMatchObject({ code: 200 });
});
afterAll(async () => {
  await server.close();
  await worker.close();
});

/** Lets the worker finish what it is given, as soon as it is given. */
async function finishNext(): Promise<void> {
  const before = worker.stats.finished;
  await expect.poll(() => worker.stats.accepted).toBeGreaterThan(before);
  worker.finishRun();
}

describe('the clients of both eras', () => {
  it.each([
    ['2.4 in the present revision', () => ada.connect()],
    ['2.4 in the older ones', () => ada.connect('legacy')],
    ['1.32', () => ada.connectOlder()],
    ['2.4 at the address for keys', () => ada.at(server.gateway.url, '/mcp/key').connect()],
  ])('make the tour: %s', async (_name, connect) => {
    const client = await connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['upload_file', 'get_task', 'workflow_plain_ground', 'ask_chat']),
    );
    expect(names).not.toContain('run_workflow');
    expect(new Set(names).size).toBe(names.length);
    for (const { name, title, annotations } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect([title, annotations]).toEqual([
        expect.any(String),
        expect.objectContaining({ readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) }),
      ]);
    }

    const content = Buffer.from('a cat').toString('base64');
    const file = (await client.callTool({
      name: 'upload_file',
      arguments: { filename: 'cat.png', content },
    })) as Answer;
    expect(file.structuredContent).toEqual({ file_id: expect.any(String), filename: 'cat.png' });

    const progress: string[] = [];
    const [made] = (await Promise.all([
      client.callTool(
        { name: 'workflow_plain_ground', arguments: { width: 24 } },
        ...((_name === '1.32' ? [undefined, { onprogress: note }] : [{ onprogress: note }]) as [Answer]),
      ),
      finishNext(),
    ])) as Answer[];
    function note({ message = '' }: { message?: string }): void {
      progress.push(message);
    }
    expect(made.structuredContent).toMatchObject({
      status: 'completed',
      files: [{ filename: expect.any(String), url: expect.stringContaining('/uploads/') }],
      seeds: [{ node: '3', seed: 41 }],
      seconds: expect.any(Number),
      cost: null,
    });
    expect(made.content[0]).toMatchObject({ type: 'image', mimeType: 'image/gif', data: expect.any(String) });
    const { task_id: taskId } = made.structuredContent;
    expect(progress[0]).toContain(taskId);
    expect(await pool.task(taskId)).toMatchObject({ params: { '1.width': 24 } });

    const answered = (await client.callTool({
      name: 'ask_chat',
      arguments: { message: 'look up cats' },
    })) as Answer;
    expect(answered.content).toEqual([{ type: 'text', text: 'Found: all about cats' }]);
    const again = (await client.callTool({
      name: 'get_task',
      arguments: { task_id: answered.structuredContent.task_id },
    })) as Answer;
    expect(again.structuredContent).toMatchObject({ answer: 'Found: all about cats' });
    const wrong = (await client.callTool({
      name: 'workflow_plain_ground',
      arguments: { height: 'x' },
    })) as Answer;
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('height') }] });
    await client.close();
  });
});

describe('a task of the protocol', () => {
  it('is followed to its result, and says where it stands', async () => {
    const { session } = await ada.taskSession();
    const execution = await session.callTool('workflow_plain_ground', { width: 8 });
    const settled = execution.settle();
    await finishNext();
    const { outcome, lastTask } = await settled;
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { status: 'completed' } });
    expect(lastTask).toMatchObject({ status: 'completed', statusMessage: 'Completed.' });
    await session.close();
  });

  it('exists when its answer is sent, tells place and percent, and ends when it is cancelled', async () => {
    const call = { name: 'workflow_plain_ground', arguments: {} };
    const { body } = await ada.request('tools/call', call, { withTasks: true });
    expect(body.result).toMatchObject({
      resultType: 'task',
      taskId: expect.any(String),
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
    });
    const { taskId } = body.result;
    expect((await pool.task(taskId)).id).toBe(taskId);
    const second = (await ada.request('tools/call', call, { withTasks: true })).body.result;
    expect(second.statusMessage).toMatch(/^Place \d+ in the queue\./);
    await expect
      .poll(async () => (await ada.request('tasks/get', { taskId })).body.result)
      .toMatchObject({ status: 'working', statusMessage: expect.stringMatching(/^\d+ %/) });
    for (const each of [second.taskId, taskId]) {
      expect((await ada.request('tasks/cancel', { taskId: each })).body.result).toMatchObject({
        resultType: 'complete',
      });
      await expect
        .poll(async () => (await ada.request('tasks/get', { taskId: each })).body.result.status)
        .toBe('cancelled');
    }
  });

  it('of an agent asks its question, and goes on with the answer', async () => {
    const { session, questions } = await ada.taskSession(() => 'yes, do');
    const execution = await session.callTool('ask_approval', { input: { plan: 'paint' } });
    const { outcome } = await execution.settle();
    expect(questions).toMatchObject([{ message: 'May I paint?', requestedSchema: { required: ['answer'] } }]);
    const { structuredContent } = resultFromTaskOutcome(outcome) as Answer;
    expect(JSON.parse(structuredContent.answer).log).toEqual([
      'prepared paint',
      'answered "yes, do"',
      'finished paint',
    ]);
    await session.close();
  });

  it('of an agent that waits for an answer is cancelled, and an answer afterwards changes nothing', async () => {
    const call = { name: 'ask_approval', arguments: { input: { plan: 'rest' } } };
    const { taskId } = (await ada.request('tools/call', call, { withTasks: true })).body.result;
    const read = async () => (await ada.request('tasks/get', { taskId })).body.result;
    await expect.poll(read).toMatchObject({ status: 'input_required' });
    const [key = ''] = Object.keys((await read()).inputRequests);
    await ada.request('tasks/cancel', { taskId });
    await expect.poll(read).toMatchObject({ status: 'cancelled' });
    const inputResponses = { [key]: { action: 'accept', content: { answer: 'late' } } };
    expect((await ada.request('tasks/update', { taskId, inputResponses })).body.result).toBeDefined();
    expect(await read()).toMatchObject({ status: 'cancelled' });
  });

  it('answered twice at once goes on once', async () => {
    const call = { name: 'ask_approval', arguments: { input: { plan: 'once' } } };
    const { taskId } = (await ada.request('tools/call', call, { withTasks: true })).body.result;
    const read = async () => (await ada.request('tasks/get', { taskId })).body.result;
    await expect.poll(read).toMatchObject({ status: 'input_required' });
    const [key = ''] = Object.keys((await read()).inputRequests);
    const inputResponses = { [key]: { action: 'decline' } };
    const answers = await Promise.all(
      [1, 2, 3].map(() => ada.request('tasks/update', { taskId, inputResponses })),
    );
    expect(answers.map(({ body }) => body.error)).toEqual([undefined, undefined, undefined]);
    await expect.poll(read).toMatchObject({ status: 'completed' });
    const { answer } = (await read()).result.structuredContent;
    expect(JSON.parse(answer).log).toHaveLength(3);
  });

  it('of another account is not told from one that never was', async () => {
    const call = { name: 'workflow_plain_ground', arguments: {} };
    const { taskId } = (await ada.request('tools/call', call, { withTasks: true })).body.result;
    const asked = (
      await ada.request('tools/call', { name: 'ask_chat', arguments: { message: 'x' } }, { withTasks: true })
    ).body.result.taskId;
    for (const [foreign, unknown] of [
      [taskId, '0199aaaa-0000-7000-8000-000000000000'],
      [asked, 'run_0199aaaa-0000-7000-8000-000000000000'],
    ]) {
      for (const [method, more] of [
        ['tasks/get', {}],
        ['tasks/cancel', {}],
        ['tasks/update', { inputResponses: {} }],
      ] as const) {
        const [theirs, none] = await Promise.all(
          [foreign, unknown].map((id) => bob.request(method, { taskId: id, ...more })),
        );
        expect(theirs).toMatchObject({ body: { error: { code: -32602 } } });
        expect(theirs?.body).toEqual(none?.body);
      }
      const args = { task_id: foreign };
      const { body } = await bob.request('tools/call', { name: 'get_task', arguments: args });
      expect(body.result).toMatchObject({ isError: true });
    }
    const { body } = await bob.request('tools/call', call);
    expect(body.error).toMatchObject({ code: -32602 });
    expect(JSON.stringify((await bob.request('tools/list')).body)).not.toContain('plain_ground');
    await ada.request('tasks/cancel', { taskId });
  });
});

it('goes on with a call whose client has gone, and finds it by the id that its first message named', async () => {
  const gone = new AbortController();
  const client = await ada.connect();
  let first = '';
  const called = client.callTool(
    { name: 'workflow_plain_ground', arguments: { width: 40 } },
    {
      signal: gone.signal,
      onprogress: ({ message = '' }) => {
        first ||= message;
        gone.abort();
      },
    },
  );
  await expect(called).rejects.toThrow();
  await finishNext();
  const task_id = /^Task (\S+)\./.exec(first)?.[1];
  await expect
    .poll(async () => (await client.callTool({ name: 'get_task', arguments: { task_id } })).structuredContent)
    .toMatchObject({ status: 'completed', files: [expect.anything()] });
  await client.close();
});

it('lets an older client answer an agent with a tool', async () => {
  const client = await ada.connectOlder();
  const asked = (await client.callTool({
    name: 'ask_approval',
    arguments: { input: { plan: 'sing' } },
  })) as Answer;
  const { task_id, questions } = asked.structuredContent;
  expect(questions).toMatchObject([{ question: 'May I sing?' }]);
  const answers = { [questions[0].key]: 'go on' };
  const done = (await client.callTool({ name: 'answer_task', arguments: { task_id, answers } })) as Answer;
  expect(JSON.parse(done.structuredContent.answer).log).toContain('answered "go on"');
  await client.close();
});

it('offers the first fifty workflows as tools, and a search for the others', async () => {
  const session = await server.gateway.register('erin@example.com');
  const erin = await McpCallers.of(server.gateway.url, session);
  const make = await DispatchCaller.login(server.gateway.url, 'erin@example.com');
  for (let count = 0; count < 51; count += 1)
    await make.call('POST', '/api/workflows', { name: `Flow ${count}`, workflow, exposed: true });
  const client = await erin.connect();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('workflow_'))).toHaveLength(50);
  const { structuredContent } = (await client.callTool({
    name: 'search_workflows',
    arguments: { name: 'Flow 50' },
  })) as Answer;
  expect(structuredContent.workflows).toMatchObject([{ name: 'Flow 50', params: { type: 'object' } }]);
  const [ran] = (await Promise.all([
    client.callTool({
      name: 'run_workflow',
      arguments: { workflow: structuredContent.workflows[0].workflow },
    }),
    finishNext(),
  ])) as Answer[];
  expect(ran.structuredContent.status).toBe('completed');
  await client.close();
});

describe('a caller', () => {
  it('needs a token with the scope mcp, and those of what a call does', async () => {
    const { gateway } = server;
    const session = await gateway.register('frida@example.com');
    const reader = await McpCallers.of(gateway.url, session, ['mcp', 'dispatch:read']);
    const without = await McpCallers.of(gateway.url, session, ['dispatch:read', 'dispatch:write']);
    expect(await without.request('tools/list')).toMatchObject({
      status: 403,
      body: { error: { code: -32000 } },
    });
    const nobody = new McpCallers(gateway.url, 'sy_pat_unknown');
    expect(await nobody.request('tools/list')).toMatchObject({ status: 401, body: { jsonrpc: '2.0' } });
    const names = (await reader.request('tools/list')).body.result.tools.map(({ name }: Answer) => name);
    expect(names).toEqual(['get_task', 'cancel_task', 'list_instances', 'why_task']);
    const args = { filename: 'a', content: '' };
    expect(
      (await reader.request('tools/call', { name: 'upload_file', arguments: args })).body.result,
    ).toMatchObject({
      isError: true,
      content: [{ text: 'The token lacks the scope dispatch:write.' }],
    });
    const taskId = 'run_x';
    expect((await reader.request('tasks/get', { taskId })).body.error.message).toContain('conversation:read');
  });

  it('from a page of another site is refused', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await ada.send(message, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], {}, 400, -32600],
    ['text that is not JSON', '{"jsonrpc":', {}, 400, -32700],
    ['a body of 10 MB', JSON.stringify({ x: 'x'.repeat(10_000_000) }), {}, 413, -32000],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415, -32000],
  ])('that sends %s gets an error of the protocol', async (_what, message, headers, status, code) => {
    expect(await ada.send(message, headers as Record<string, string>)).toMatchObject({
      status,
      body: { jsonrpc: '2.0', error: { code, message: expect.any(String) } },
    });
  });

  it('that contradicts itself is refused', async () => {
    const key = 'io.modelcontextprotocol/protocolVersion';
    const old = await ada.request('tools/list', { _meta: { [key]: '2031-01-01' } });
    expect(old).toMatchObject({ status: 400 });
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'list_instances',
        _meta: {
          [key]: '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    expect(await ada.send(call, { 'mcp-name': 'other' })).toMatchObject({
      status: 400,
      body: { error: { code: -32020 } },
    });
    const unsupported = structuredClone(call) as Answer;
    unsupported.params._meta[key] = '2031-01-01';
    expect(await ada.send(unsupported, { 'mcp-protocol-version': '2031-01-01' })).toMatchObject({
      status: 400,
      body: { error: { code: -32022, data: { supported: ['2026-07-28'] } } },
    });
    expect(await ada.request('tools/unknown')).toMatchObject({
      status: 404,
      body: { error: { code: -32601 } },
    });
  });
});
