import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
/** The model's answer, set by each test. */
let answer: (request: FakeRequest) => FakeReply;

const config = () => ({
  title: { enabled: false },
  models: readModels({
    usual: { base_url: provider.url, api_key: 'sk-x', model: 'usual-1' },
    special: { base_url: provider.url, api_key: 'sk-x', model: 'special-1' },
  }),
});

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  server = await startConversation(config());
  ({ ada, bob } = server);
  await ada.ok('POST', '/agents', {
    name: 'image-maker',
    description: 'Makes pictures.',
    model: 'special',
    soul: 'You speak as Ada’s painter.',
  });
  await ada.ok('PUT', '/user-profile', { content: 'Ada likes red kites.' });
  await bob.ok('POST', '/agents', { name: 'image-maker', soul: 'You speak as Bob’s painter.' });
  await bob.ok('POST', '/agents', { name: 'of-bob', soul: 'Bob alone' });
});
beforeEach(() => {
  provider.requests.length = 0;
  answer = () => ({ text: 'Done.' });
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

const told = (index = 0): string => JSON.stringify(provider.requests[index]?.messages[0]);
const asks = (wish: object) => ({ assistant_id: 'lead_agent', input: says('Hi'), ...wish });
const soulOf = ({ userId }: ConversationCaller, name: string) =>
  join(server.gateway.home, 'users', userId, 'agents', name, 'SOUL.md');

describe('a run as a custom agent', () => {
  it('is told who it is and who its user is, and uses the agent’s model', async () => {
    const thread = await ada.thread();
    const { run_id } = await ada.run(thread, asks({ assistant_id: 'image-maker' }));
    const run = await ada.ended(thread, run_id);

    expect(told()).toContain('\\"image-maker\\". It is described so: Makes pictures.');
    expect(told()).toContain('You speak as Ada’s painter.');
    expect(told()).toContain('Ada likes red kites.');
    expect(provider.requests[0]?.model).toBe('special-1');
    expect(run).toMatchObject({
      status: 'success',
      assistant_id: 'image-maker',
      graph_id: 'lead_agent',
      model_name: 'special',
    });
    expect((await ada.ok('GET', `/threads/${thread}`)).metadata).toMatchObject({
      graph_id: 'lead_agent',
      assistant_id: 'image-maker',
    });
    expect((await ada.ok('GET', `/threads/${thread}/state`)).values.messages).toHaveLength(2);
  });

  it.each([
    { assistant_id: 'Image_Maker' },
    { context: { agent_name: 'image-maker' } },
    { config: { configurable: { agent_name: 'IMAGE-MAKER' } } },
    { assistant_id: 'image-maker', context: { agent_name: '' } },
  ])('begins wherever the agent is named: %j', async (wish) => {
    await ada.wait(await ada.thread(), asks(wish));
    expect(told()).toContain('You speak as Ada’s painter.');
  });

  it('begins with an assistant that names the agent', async () => {
    const { assistant_id } = await ada.ok('POST', '/assistants', {
      graph_id: 'lead_agent',
      context: { agent_name: 'image-maker' },
    });
    await ada.wait(await ada.thread(), asks({ assistant_id }));
    expect(told()).toContain('You speak as Ada’s painter.');
  });

  it.each([{ context: { model_name: 'usual' } }, { config: { configurable: { model_name: 'usual' } } }])(
    'uses the model that it names itself: %j',
    async (wish) => {
      await ada.wait(await ada.thread(), asks({ assistant_id: 'image-maker', ...wish }));
      expect(provider.requests[0]?.model).toBe('usual-1');
      expect(told()).toContain('You speak as Ada’s painter.');
    },
  );

  it('uses each user’s own agent, even under the same name', async () => {
    await bob.wait(await bob.thread(), asks({ assistant_id: 'image-maker' }));
    expect(told()).toContain('You speak as Bob’s painter.');
    expect(told()).not.toMatch(/Ada|kites/);
    expect(provider.requests[0]?.model).toBe('usual-1');
  });

  it('remembers what this agent remembers', async () => {
    await ada.ok('POST', '/memory/facts?agent=image-maker', { content: 'Ada paints with oil' });
    await ada.wait(await ada.thread(), asks({ assistant_id: 'image-maker' }));
    await ada.wait(await ada.thread(), asks({}));

    expect(told(0)).toContain('Ada paints with oil');
    expect(told(1)).not.toContain('Ada paints with oil');
  });
});

describe('a run as the lead agent itself', () => {
  it.each([{}, { context: { agent_name: 'lead_agent' } }])(
    'is told who its user is, and not about any agent: %j',
    async (wish) => {
      await ada.wait(await ada.thread(), asks(wish));
      expect(told()).toContain('Ada likes red kites.');
      expect(told()).not.toContain('painter');
    },
  );

  it('cannot be turned into another agent by the server’s own keys', async () => {
    const reserved = { __switchyard_agent: 'image-maker', agentName: 'image-maker', agent: 'image-maker' };
    await ada.wait(
      await ada.thread(),
      asks({ ...reserved, metadata: reserved, context: reserved, config: { configurable: reserved } }),
    );
    const { assistant_id } = await ada.ok('POST', '/assistants', {
      graph_id: 'lead_agent',
      config: { configurable: reserved },
      context: reserved,
    });
    await ada.wait(await ada.thread(), asks({ assistant_id }));

    expect(provider.requests).toHaveLength(2);
    expect(told(0) + told(1)).not.toContain('painter');
  });
});

describe('an agent that the caller does not have', () => {
  it.each(['unknown', 'of-bob', '../of-bob', '%2e%2e', 'x'.repeat(128)])(
    'is no assistant: %s',
    async (name) => {
      const { status, body } = await ada.post(
        `/threads/${await ada.thread()}/runs`,
        asks({ assistant_id: name }),
      );
      expect([status, body]).toEqual([404, { detail: `Assistant ${name} not found` }]);
    },
  );

  it.each(['unknown', 'of-bob', '../image-maker', '/etc', 'image-maker\u200b'])(
    'is not found in the context: %j',
    async (name) => {
      for (const wish of [
        { context: { agent_name: name } },
        { config: { configurable: { agent_name: name } } },
      ]) {
        const thread = await ada.thread();
        const { status, body } = await ada.post(`/threads/${thread}/runs`, asks(wish));
        expect([status, body]).toEqual([404, { detail: `Agent '${name}' not found` }]);
        expect(await ada.ok('GET', `/threads/${thread}/runs`)).toEqual([]);
      }
    },
  );

  it.each([3, {}, ['image-maker'], true])('is refused when it is not a name: %j', async (name) => {
    const { status, body } = await ada.post('/runs', asks({ context: { agent_name: name } }));
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['body', 'context', 'agent_name']);
  });

  it('does not matter to a user’s own graph', async () => {
    await ada.wait(await ada.thread(), asks({ assistant_id: 'chat', context: { agent_name: 'unknown' } }));
  });
});

describe('tool groups', () => {
  const toolsOf = async (tool_groups: string[] | null) => {
    await ada.call('DELETE', '/agents/limited');
    await ada.ok('POST', '/agents', { name: 'limited', tool_groups });
    provider.requests.length = 0;
    await ada.wait(
      await ada.thread(),
      asks({ assistant_id: 'limited', context: { subagent_enabled: true } }),
    );
    return provider.requests[0]?.tools ?? [];
  };

  it('are the tools that the model is told about', async () => {
    const all = await toolsOf(null);
    const none = await toolsOf([]);
    const workflows = await toolsOf(['workflows']);

    expect(all).toEqual(expect.arrayContaining(['ask_clarification', 'list_instances', 'run_workflow']));
    expect(none).toContain('ask_clarification');
    expect(none.filter((name) => !['ask_clarification', 'present_files'].includes(name))).toEqual([]);
    expect(workflows.filter((name) => !none.includes(name))).toEqual([
      'list_instances',
      'run_workflow',
      'list_workflows',
    ]);
  });

  it('together are all tools', async () => {
    const groups = ['file:read', 'file:write', 'web', 'bash', 'workflows', 'subagents', 'mcp'];
    expect(await toolsOf(groups)).toEqual(await toolsOf(null));
  });

  it('also limit a model that calls another tool anyway', async () => {
    await toolsOf(['file:read']);
    answer = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'I see.' }
        : { calls: [{ id: 'call_1', name: 'list_instances', args: {} }] };
    const { messages } = await ada.wait(await ada.thread(), asks({ assistant_id: 'limited' }));

    expect(messages[2]).toMatchObject({
      type: 'tool',
      status: 'error',
      content: "Error: The agent 'limited' does not have the tool 'list_instances'.",
    });
    expect(messages[3].content).toBe('I see.');
  });

  it('limit the sub-agents of the agent as well', async () => {
    await toolsOf(['subagents']);
    const task = { description: 'Look', prompt: 'Who is there?', subagent_type: 'general-purpose' };
    answer = ({ tools, messages }) => {
      const isLead = tools.includes('task');
      if (messages.at(-1)?.role === 'tool') return { text: isLead ? 'Done.' : messages.at(-1)?.content };
      return {
        calls: [
          isLead
            ? { id: 'call_1', name: 'task', args: task }
            : { id: 'call_2', name: 'list_instances', args: {} },
        ],
      };
    };
    const context = { subagent_enabled: true };
    const { messages } = await ada.wait(await ada.thread(), asks({ assistant_id: 'limited', context }));

    expect(provider.requests[1]?.tools).not.toContain('list_instances');
    expect(messages[2].content).toContain("does not have the tool 'list_instances'");
  });
});

describe('skills', () => {
  it('are those that the agent names, and all for one that names none', async () => {
    const names = ['brew-tea', 'mend-nets'];
    for (const name of names) {
      const folder = join(server.gateway.home, 'skills', 'public', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: Does it.\n---\nSo.\n`);
    }
    await ada.ok('POST', '/agents', { name: 'skilled', skills: ['mend-nets', 'nothing-like-it'] });
    await ada.wait(await ada.thread(), asks({ assistant_id: 'skilled' }));
    await ada.wait(await ada.thread(), asks({ assistant_id: 'image-maker' }));
    const toldOf = (index: number) => names.filter((name) => told(index).includes(`/${name}/SKILL.md`));

    expect(toldOf(0)).toEqual(['mend-nets']);
    expect(toldOf(1)).toEqual(names);
  });
});

describe('an agent that is changed', () => {
  it('is the new one for the next run, and the old one for a run that is under way', async () => {
    await ada.ok('POST', '/agents', { name: 'moody', soul: 'Good mood.' });
    answer = ({ messages }) => {
      if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
      writeFileSync(soulOf(ada, 'moody'), 'Bad mood.');
      return { calls: [{ id: 'call_1', name: 'list_instances', args: {} }] };
    };
    await ada.wait(await ada.thread(), asks({ assistant_id: 'moody' }));
    await ada.wait(await ada.thread(), asks({ assistant_id: 'moody' }));

    expect(provider.requests.map((_request, index) => /(Good|Bad) mood/.exec(told(index))?.[1])).toEqual([
      'Good',
      'Good',
      'Bad',
      'Bad',
    ]);
  });

  it('fails a run that waited while the agent was deleted', async () => {
    await ada.ok('POST', '/agents', { name: 'leaving' });
    const gate = closeGate('leaving');
    const thread = await ada.thread();
    await ada.run(thread, { assistant_id: 'chat', input: says('count to 2 at gate leaving before 1') });
    await gate.reached;
    const { run_id } = await ada.run(thread, asks({ assistant_id: 'leaving' }));
    await ada.ok('DELETE', '/agents/leaving');
    gate.open();

    expect(await ada.ended(thread, run_id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining("The agent 'leaving' was deleted before its run began"),
    });
    expect(provider.requests).toEqual([]);
    expect((await ada.get(`/threads/${thread}/state`)).status).toBe(200);
  });
});

describe('assistants', () => {
  it('show custom agents to their user, after those of the graphs', async () => {
    const found = await ada.ok('POST', '/assistants/search', { name: 'Image-M', limit: 1000 });

    expect(found).toEqual([
      {
        assistant_id: 'image-maker',
        graph_id: 'lead_agent',
        name: 'image-maker',
        description: 'Makes pictures.',
        config: {},
        context: {},
        metadata: { created_by: 'user' },
        version: 1,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(await ada.ok('GET', '/assistants/Image_Maker')).toEqual(found[0]);
    const all = await ada.ok('POST', '/assistants/search', { limit: 1000 });
    expect(all[0].assistant_id).not.toBe('image-maker');
    expect(await ada.ok('POST', '/assistants/count', {})).toBe(all.length);
    expect((await ada.get('/assistants/of-bob')).status).toBe(404);
    expect((await ada.ok('GET', '/assistants/image-maker/schemas')).graph_id).toBe('lead_agent');
  });

  it.each([
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/latest', { version: 1 }],
  ] as const)('are not where agents are changed: %s %s', async (method, rest, body) => {
    const answered = await ada.call(method, `/assistants/image-maker${rest}`, { body });
    expect(answered).toMatchObject({ status: 403, body: { detail: expect.stringContaining('/api/agents') } });
  });
});

it('a run that another process continues works as the same agent', async () => {
  const folder = temporaryFolder();
  const options = { home: folder.path, config: { database: { backend: 'sqlite' as const }, ...config() } };
  let restarted = await startGateway(options);
  const session = await restarted.register('cat@example.com');
  const cat = await ConversationCaller.of(restarted.url, session);
  await cat.ok('POST', '/agents', { name: 'lasting', model: 'special', soul: 'You last.' });
  const asked = new Promise<void>((resolve) => {
    answer = () => {
      resolve();
      return { text: 'Half of', hangs: true };
    };
  });
  const thread = await cat.thread();
  const { run_id } = await cat.run(thread, asks({ assistant_id: 'lasting' }));
  await asked;
  await restarted.stop();
  answer = () => ({ text: 'Whole.' });
  restarted = await startGateway(options);
  const again = await ConversationCaller.of(restarted.url, session.at(restarted.url));
  const run = await again.ended(thread, run_id);
  await restarted.stop();
  folder.remove();

  expect(run).toMatchObject({
    status: 'success',
    attempt: 2,
    last_ai_message: 'Whole.',
    model_name: 'special',
  });
  expect(provider.requests.map(({ model }) => model)).toEqual(['special-1', 'special-1']);
  expect([told(0), told(1)].every((text) => text.includes('You last.'))).toBe(true);
});

it('a profile that was made too long by hand is shown to the model in part', async () => {
  const path = join(server.gateway.home, 'users', bob.userId, 'USER.md');
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `begins${'x'.repeat(20_000)}ends`);
  await bob.wait(await bob.thread(), asks({}));

  expect(told()).toContain('begins');
  expect(told()).not.toContain('ends');
});

describe('a run that sets up an agent', () => {
  const bootstrap = (name: string) => asks({ context: { agent_name: name, is_bootstrap: true } });
  const writes = { description: 'Counts birds.', soul: 'You count birds.' };
  const settingUp = ({ messages }: FakeRequest): FakeReply =>
    messages.at(-1)?.role === 'tool'
      ? { text: 'It is there.' }
      : { calls: [{ id: 'call_1', name: 'setup_agent', args: writes }] };

  it('creates one that does not exist yet, with a tool that no other run has', async () => {
    answer = settingUp;
    const { messages } = await ada.wait(await ada.thread(), bootstrap('Bird-Counter'));

    expect(provider.requests[0]?.tools).toContain('setup_agent');
    expect(told()).toContain('called \\"bird-counter\\"');
    expect(messages[2]).toMatchObject({ name: 'setup_agent', status: 'success' });
    expect(await ada.ok('GET', '/agents/bird-counter')).toMatchObject({ name: 'bird-counter', ...writes });
    expect((await bob.get('/agents/bird-counter')).status).toBe(404);

    answer = () => ({ text: 'Three.' });
    provider.requests.length = 0;
    await ada.wait(await ada.thread(), asks({ assistant_id: 'bird-counter' }));
    expect(told()).toContain('You count birds.');
    expect(provider.requests[0]?.tools).not.toContain('setup_agent');
  });

  it('changes an existing one, and leaves the rest of it', async () => {
    await ada.ok('POST', '/agents', { name: 'fish-counter', model: 'special', soul: 'You count fish.' });
    answer = settingUp;
    await ada.wait(await ada.thread(), bootstrap('fish-counter'));

    expect(told()).toContain('You count fish.');
    expect(await ada.ok('GET', '/agents/fish-counter')).toMatchObject({ model: 'special', ...writes });
  });

  it('is the only run that can: a model that calls the tool elsewhere is refused', async () => {
    answer = settingUp;
    const { messages } = await ada.wait(await ada.thread(), asks({ assistant_id: 'image-maker' }));

    expect(messages[2]).toMatchObject({
      type: 'tool',
      status: 'error',
      content: 'Error: This run does not set up an agent.',
    });
    expect(await ada.ok('GET', '/agents/image-maker')).toMatchObject({ description: 'Makes pictures.' });
  });

  it.each(['chat', 'check', '../x', 'of.bob'])('refuses a name that no agent can have: %s', async (name) => {
    expect((await ada.post('/runs', bootstrap(name))).status).toBe(404);
  });
});
