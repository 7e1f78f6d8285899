import { type FakeOpenAi, type FakeRequest, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

const graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ground' } },
};

let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let ada: ConversationCaller;
let adaInDispatch: DispatchCaller;
let bob: ConversationCaller;

beforeAll(async () => {
  gateway = await startGateway();
  worker = await startReferenceWorker();
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'));
  adaInDispatch = await DispatchCaller.login(gateway.url, 'ada@example.com');
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
});

describe('a saved workflow that is exposed', () => {
  it('is a tool of its owner from the next run on, and of no other user', async () => {
    expect(await answerTo(ada, 'list workflows')).toBe('Your saved workflows: none.');

    const body = { name: 'Plain ground', workflow: graph, exposed: true };
    const { data: saved } = await adaInDispatch.call('POST', '/api/workflows', body);
    expect(await answerTo(ada, 'list workflows')).toContain('- Plain ground, width, height');
    expect(await answerTo(ada, 'run plain ground with width = 24')).toContain('made 1 file');

    const { items } = (await adaInDispatch.call('GET', '/api/tasks')).data;
    expect(items).toMatchObject([
      { name: 'Plain ground', status: 'completed', conversation: { toolCallId: expect.any(String) } },
    ]);
    expect(await adaInDispatch.task(items[0].id)).toMatchObject({ params: { '1.width': 24 } });
    expect(await answerTo(bob, 'run plain ground')).toContain('I did not understand that');

    await adaInDispatch.call('PUT', `/api/workflows/${saved.id}`, { exposed: false });
    expect(await answerTo(ada, 'run plain ground')).toContain('I did not understand that');
  });

  it('refuses values that do not fit in words that the agent can use', async () => {
    await adaInDispatch.call('POST', '/api/workflows', { name: 'Strict', workflow: graph, exposed: true });

    const answer = await answerTo(ada, 'run strict with width = -5');
    expect(answer).toContain('That did not work.');
    expect(answer).toContain('width');
  });
});

it('leaves tasks that are listed by their thread, to its owner alone', async () => {
  await adaInDispatch.call('POST', '/api/workflows', { name: 'Listed', workflow: graph, exposed: true });
  const thread = await ada.thread();
  await ada.wait(thread, { assistant_id: 'lead_agent', input: says('run listed') });
  const bobInDispatch = await DispatchCaller.login(gateway.url, 'bob@example.com');
  const url = `/api/tasks?threadId=${thread}`;
  const { total, items } = (await adaInDispatch.call('GET', url)).data;
  expect({ total, items }).toMatchObject({ total: 1, items: [{ conversation: { threadId: thread } }] });
  expect((await bobInDispatch.call('GET', url)).data).toEqual({ total: 0, items: [] });
});

async function answerTo(caller: ConversationCaller, question: string): Promise<string> {
  const thread = await caller.thread();
  const values = await caller.wait(thread, { assistant_id: 'lead_agent', input: says(question) });
  return values.messages.at(-1).content;
}

describe('a workflow that a human has to approve', () => {
  let strict: DevGateway;
  let carl: ConversationCaller;
  let carlInDispatch: DispatchCaller;

  beforeAll(async () => {
    strict = await startGateway({ config: { conversation: { workflow_approval: 'over_budget' } } });
    const admin = await DispatchCaller.initialize(strict.url);
    await admin.useWorkers([worker.port]);
    carl = await ConversationCaller.of(strict.url, await strict.register('carl@example.com'));
    carlInDispatch = await DispatchCaller.login(strict.url, 'carl@example.com');
    await carlInDispatch.call('POST', '/api/workflows', { name: 'Ground', workflow: graph, exposed: true });
  });
  afterAll(() => strict.stop());

  it('waits for the answer, does not run when it is rejected, and runs when it is approved', async () => {
    const thread = await carl.thread();
    const input = says('run ground with width = 24');
    const asked = await carl.wait(thread, { assistant_id: 'lead_agent', input });
    expect(asked.__interrupt__).toMatchObject([
      {
        value: {
          action_requests: [{ name: 'workflow_ground', args: { width: 24 } }],
          review_configs: [{ action_name: 'workflow_ground', allowed_decisions: ['approve', 'reject'] }],
        },
      },
    ]);
    expect((await carlInDispatch.call('GET', '/api/tasks')).data.total).toBe(0);

    const reject = { resume: { decisions: [{ type: 'reject', message: 'Not now.' }] } };
    const rejected = await carl.wait(thread, { assistant_id: 'lead_agent', command: reject });
    expect(rejected.messages.at(-1).content).toContain('Not now.');
    expect((await carlInDispatch.call('GET', '/api/tasks')).data.total).toBe(0);

    await carl.wait(thread, { assistant_id: 'lead_agent', input });
    const approve = { resume: { decisions: [{ type: 'approve' }] } };
    const approved = await carl.wait(thread, { assistant_id: 'lead_agent', command: approve });
    expect(approved.messages.at(-1).content).toContain('made 1 file');
    expect((await carlInDispatch.call('GET', '/api/tasks')).data.total).toBe(1);
  });

  it('needs no approval once it is known to fit into the budget', async () => {
    const thread = await carl.thread();
    const values = await carl.wait(thread, { assistant_id: 'lead_agent', input: says('run ground') });

    expect(values.__interrupt__).toBeUndefined();
    expect(values.messages.at(-1).content).toContain('made 1 file');
  });
});

describe('a form that an artist has arranged', () => {
  let provider: FakeOpenAi;
  let arranged: DevGateway;
  let dora: ConversationCaller;
  let doraInDispatch: DispatchCaller;
  let args: object = {};

  beforeAll(async () => {
    provider = await startFakeOpenAi(({ messages }) => {
      if (messages.at(-1).role === 'tool') return { text: 'Done.' };
      return { calls: [{ id: 'call_1', name: 'workflow_two_grounds', args }] };
    });
    const models = readModels({ one: { base_url: provider.url, api_key: 'sk-one', model: 'one' } });
    arranged = await startGateway({ config: { models, title: { enabled: false } } });
    const admin = await DispatchCaller.initialize(arranged.url);
    await admin.useWorkers([worker.port]);
    dora = await ConversationCaller.of(arranged.url, await arranged.register('dora@example.com'));
    doraInDispatch = await DispatchCaller.login(arranged.url, 'dora@example.com');
  });
  afterAll(async () => {
    await arranged?.stop();
    await provider?.close();
  });

  it('is what the model is shown: names, ranges, texts and order; its values reach the right nodes', async () => {
    const ground = (title: string, width: number) => ({
      class_type: 'EmptyImage',
      inputs: { width, height: 16, batch_size: 1, color: 255 },
      _meta: { title },
    });
    const { data: saved } = await doraInDispatch.call('POST', '/api/workflows', {
      name: 'Two grounds',
      exposed: true,
      workflow: {
        sky: ground('Sky', 8),
        sea: ground('Sea', 9),
        up: { class_type: 'SaveImage', inputs: { images: ['sky', 0], filename_prefix: 'sky' } },
        down: { class_type: 'SaveImage', inputs: { images: ['sea', 0], filename_prefix: 'sea' } },
      },
    });
    const hidden = saved.parameters
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => !/^sea_(width|height|color)$/.test(name));
    await doraInDispatch.call('PUT', `/api/workflows/${saved.id}`, {
      parameters: [
        ...hidden.map((name: string) => ({ name, hidden: true })),
        { name: 'sea_color', rename: 'tint', label: 'Tint', description: 'As a number.', pinned: true },
        { name: 'sea_height', rename: 'depth', pinned: true, position: 0 },
      ],
    });
    const said = async (given: object) => {
      args = given;
      provider.requests.length = 0;
      const thread = await dora.thread();
      await dora.wait(thread, { assistant_id: 'lead_agent', input: says('Go.') });
      return String(provider.requests.at(-1)?.messages.at(-1).content);
    };
    expect(await said({ tint: 7, sea_width: 24 })).toContain('task_id');
    const schema = schemaSent(provider.requests[0], 'workflow_two_grounds');
    expect(Object.keys(schema.properties)).toEqual(['depth', 'tint', 'sea_width']);
    expect(schema).toEqual((await doraInDispatch.call('GET', `/api/workflows/${saved.id}`)).data.schema);
    expect(schema.properties).toMatchObject({
      depth: { type: 'integer', default: 16, minimum: expect.any(Number), maximum: expect.any(Number) },
      tint: {
        type: 'integer',
        default: 255,
        title: 'Tint',
        description: expect.stringMatching(/^As a number/),
      },
      sea_width: { title: 'Sea: Width' },
    });
    const { items } = (await doraInDispatch.call('GET', '/api/tasks')).data;
    expect(items).toHaveLength(1);
    expect((await doraInDispatch.task(items[0].id)).params).toEqual({ 'sea.color': 7, 'sea.width': 24 });
    const { items: files } = (await doraInDispatch.call('GET', '/api/files')).data;
    const sizes = files.map(({ width, height }: { width: number; height: number }) => [width, height]);
    expect(sizes.toSorted()).toEqual([
      [24, 16],
      [8, 16],
    ]);

    expect(await said({ sky_width: 9 })).toContain('sky_width');
    expect(await said({ depth: 0 })).toContain('depth');
    expect((await doraInDispatch.call('GET', '/api/tasks')).data.total).toBe(1);
  });
});

/** The schema of a tool as the provider of a model was sent it. */
function schemaSent(request: FakeRequest | undefined, name: string) {
  const tools = request?.body.tools as { function: { name: string; parameters: { properties: object } } }[];
  const schema = tools.find((tool) => tool.function.name === name)?.function.parameters;
  if (!schema) throw new Error(`The model was shown no tool ${name}.`);
  return schema;
}
