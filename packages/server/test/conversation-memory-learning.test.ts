import { join } from 'node:path';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { type ConfigOverrides, startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { readModels } from '@switchyard/server/config/models';
import { DatabaseSync } from '@switchyard/server/platform/database/sqlite/sqlite-library';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { firstAdmin } from './support/first-admin.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
/** The model's answer to a request for facts, set by each test. */
let found: (said: string) => FakeReply;

const config = (memory: ConfigOverrides['memory'] = {}): ConfigOverrides => ({
  title: { enabled: false },
  models: readModels({
    usual: { base_url: provider.url, api_key: 'sk-x', model: 'usual-1' },
    small: {
      base_url: provider.url,
      api_key: 'sk-x',
      model: 'small-1',
      supports_reasoning_effort: true,
      supports_thinking: true,
    },
  }),
  memory: { extraction_enabled: true, debounce_seconds: 1, model_name: 'small', ...memory },
});

beforeAll(async () => {
  provider = await startFakeOpenAi((request) =>
    isSearch(request) ? found(saidIn(request)) : answerTo(request),
  );
  server = await startConversation(config());
});
beforeEach(() => {
  provider.requests.length = 0;
  found = () => ({ text: JSON.stringify({ facts: [], outdated: [] }) });
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

const isSearch = ({ messages }: FakeRequest) =>
  String(messages[0]?.content).startsWith('You keep what is worth');
/** Returns the part of the request to be searched, without what is already known. */
const saidIn = ({ messages }: FakeRequest) => String(messages[0]?.content).split('Conversation:')[1] ?? '';
/**
 * Returns the searches of a conversation that contains this word, because other conversations of this gateway may be due as well.
 */
const searchesOf = (word: string) =>
  provider.requests.filter((request) => isSearch(request) && saidIn(request).includes(word));
const answers = () => provider.requests.filter((request) => !isSearch(request));
const facts = (...contents: string[]): FakeReply => ({
  text: JSON.stringify({
    facts: contents.map((content) => ({ content, category: 'preference', confidence: 0.95 })),
    outdated: [],
  }),
});
function answerTo({ messages }: FakeRequest): FakeReply {
  const asksWho =
    messages.at(-1)?.role === 'user' && String(messages.at(-1)?.content).includes('Who is there');
  return asksWho ? { calls: [{ id: 'call_1', name: 'list_instances', args: {} }] } : { text: 'Noted, dear.' };
}

const question = (text: string, agent = 'lead_agent') => ({ assistant_id: agent, input: says(text) });
const contentsOf = async (user: ConversationCaller, query = ''): Promise<string[]> =>
  (await user.ok('GET', `/memory${query}`)).facts.map(({ content }: { content: string }) => content);
const learned = (user: ConversationCaller, query = '') =>
  user.until(
    () => contentsOf(user, query),
    (contents) => contents.length > 0,
  );
const searched = (user: ConversationCaller, word: string) =>
  user.until(
    async () => searchesOf(word),
    (requests) => requests.length > 0,
  );
let users = 0;
const newUser = () => {
  users += 1;
  return server.newUser(`learner-${users}@example.com`);
};

describe('what a user says', () => {
  it('is searched for facts, which the next conversations know', async () => {
    const ada = await newUser();
    found = () => facts('Drinks green tea only');
    await ada.wait(await ada.thread(), question('I only ever drink green tea'));
    expect(await learned(ada)).toEqual(['Drinks green tea only']);

    provider.requests.length = 0;
    const thread = await ada.thread();
    await ada.wait(thread, question('What shall I drink?'));
    const [system] = answers()[0]?.messages ?? [];
    expect(system.role).toBe('system');
    expect(JSON.stringify(system.content)).toContain('- [preference] Drinks green tea only');
    const { values } = await ada.ok('GET', `/threads/${thread}/state`);
    expect(JSON.stringify(values)).not.toContain('green tea');
  });

  it('is sent to the model of the configuration, without thoughts and without texts of tools', async () => {
    const ada = await newUser();
    const thread = await ada.thread();
    await ada.wait(thread, question('I am a baker'));
    await ada.wait(thread, question('Who is there, baker?'));
    const [search] = await searched(ada, 'Who is there, baker?');

    expect(search).toMatchObject({ model: 'small-1', tools: [], body: { reasoning_effort: 'minimal' } });
    expect(JSON.parse(saidIn(search as FakeRequest)).at(-1)).toEqual({
      before: 'Noted, dear.',
      said: [
        { role: 'user', text: 'Who is there, baker?' },
        { role: 'assistant', text: 'Noted, dear.' },
      ],
    });
    const turns = searchesOf('baker').flatMap((request) => JSON.parse(saidIn(request)));
    expect(turns).toHaveLength(2);
  });

  it('never gets into the memory of another user who speaks at the same moment', async () => {
    const everybody = await Promise.all([newUser(), newUser(), newUser()]);
    const wordOf = ({ userId }: ConversationCaller) => `word-${userId}`;
    found = (said) => facts(...new Set(said.match(/word-[0-9a-f-]+/g)));
    await Promise.all(
      everybody.map(async (user) => user.wait(await user.thread(), question(`My word is ${wordOf(user)}`))),
    );
    for (const user of everybody) expect(await learned(user)).toEqual([wordOf(user)]);
    for (const user of everybody) expect(searchesOf(wordOf(user))).toHaveLength(1);

    for (const user of everybody) {
      await user.wait(await user.thread(), question('What is my word?'));
      const prompt = JSON.stringify(answers().at(-1)?.messages);
      for (const each of everybody) expect(prompt.includes(wordOf(each))).toBe(each === user);
    }
  });

  it('is learned by the agent to which it was said', async () => {
    const ada = await newUser();
    await ada.ok('POST', '/agents', { name: 'painter', soul: 'You paint.' });
    found = () => facts('Loves red kites');
    await ada.wait(await ada.thread(), question('I love red kites', 'painter'));

    expect(await learned(ada, '?agent=Painter')).toEqual(['Loves red kites']);
    expect(await contentsOf(ada)).toEqual([]);
    provider.requests.length = 0;
    await ada.wait(await ada.thread(), question('Hi', 'painter'));
    await ada.wait(await ada.thread(), question('Hi'));
    const told = answers().map(({ messages }) => JSON.stringify(messages).includes('Loves red kites'));
    expect(told).toEqual([true, false]);
  });

  it('does no harm to a run when the model for it is broken', async () => {
    const ada = await newUser();
    found = () => ({ status: 500 });
    const thread = await ada.thread();
    const { run_id } = await ada.run(thread, question('Break, please'));
    expect((await ada.ended(thread, run_id)).status).toBe('success');
    await searched(ada, 'Break, please');
    const { messages } = await ada.wait(thread, question('Hi again'));
    expect(messages.at(-1).content).toBe('Noted, dear.');
    expect(await contentsOf(ada)).toEqual([]);
  });

  it('is reported as searched when learning is on', async () => {
    const ada = await newUser();
    expect(await ada.ok('GET', '/memory/config')).toMatchObject({
      extraction_enabled: true,
      debounce_seconds: 1,
      fact_confidence_threshold: 0.7,
    });
  });
});

it('what was said before a shutdown is learned after it', async () => {
  const folder = temporaryFolder();
  const options = {
    home: folder.path,
    config: { database: { backend: 'sqlite' as const }, ...config({ debounce_seconds: 300 }) },
  };
  let gateway = await startGateway(options);
  const session = await gateway.register('cat@example.com');
  const before = await ConversationCaller.of(gateway.url, session);
  await before.wait(await before.thread(), question('I only ever drink green tea'));
  await gateway.stop();
  expect(searchesOf('green tea')).toEqual([]);

  makeDue(folder.path);
  found = () => facts('Drinks green tea only');
  gateway = await startGateway(options);
  try {
    const after = await ConversationCaller.of(gateway.url, session.at(gateway.url));
    expect(await learned(after)).toEqual(['Drinks green tea only']);
    expect(searchesOf('green tea')).toHaveLength(1);
  } finally {
    await gateway.stop();
    folder.remove();
  }
});

it('words of a user are forgotten with the account', async () => {
  const folder = temporaryFolder();
  const options = {
    home: folder.path,
    config: { database: { backend: 'sqlite' as const }, ...config({ debounce_seconds: 300 }) },
  };
  let gateway = await startGateway(options);
  const sessions = [await gateway.register('eve@example.com'), await gateway.register('fay@example.com')];
  const [eve, fay] = await Promise.all(
    sessions.map((session) => ConversationCaller.of(gateway.url, session)),
  );
  await eve?.wait(await eve.thread(), question('I am eve'));
  await fay?.wait(await fay.thread(), question('I am fay'));
  await (await firstAdmin(gateway)).ok('DELETE', `/v1/users/${eve?.userId}`);
  await gateway.stop();

  makeDue(folder.path);
  gateway = await startGateway(options);
  const left = async () => {
    const { read } = gateway.context.database.withTables<{ memory_turns: { run_id: string } }>();
    return read.selectFrom('memory_turns').select('run_id').execute();
  };
  try {
    await expect.poll(left).toEqual([]);
    expect(searchesOf('I am fay')).toHaveLength(1);
    expect(searchesOf('I am eve')).toEqual([]);
  } finally {
    await gateway.stop();
    folder.remove();
  }
});

/** Makes waiting conversations due, as if they had been silent for long. The gateway is stopped meanwhile. */
function makeDue(home: string): void {
  const database = new DatabaseSync(join(home, 'data', 'switchyard.db'));
  database.exec(`update jobs set "dueAtMs" = 1 where kind = 'memory.learn'`);
  database.close();
}

describe('conversations that wait to be learned', () => {
  /** Reads the database of a gateway with a long silence. */
  async function waiting(
    memory: ConfigOverrides['memory'],
    work: (ada: ConversationCaller, count: () => Promise<number>) => Promise<void>,
  ): Promise<void> {
    const slow = await startConversation(config({ debounce_seconds: 300, ...memory }));
    const database = slow.gateway.context.database.withTables<{ memory_turns: { run_id: string } }>();
    try {
      await work(slow.ada, async () => {
        const rows = await database.read.selectFrom('memory_turns').select('run_id').execute();
        return rows.length;
      });
    } finally {
      await slow.close();
    }
  }

  it('hold what was said to agents of the gateway, and go with their thread, their run, or the memory', () =>
    waiting({}, async (ada, count) => {
      const thread = await ada.thread();
      await ada.wait(thread, question('hello', 'chat'));
      expect(await count()).toBe(0);

      await ada.wait(thread, question('I only ever drink green tea'));
      const { run_id } = await ada.run(thread, question('And now and then water'));
      await ada.ended(thread, run_id);
      expect(await count()).toBe(2);
      await ada.ok('DELETE', `/threads/${thread}/runs/${run_id}`);
      expect(await count()).toBe(1);
      await ada.ok('DELETE', `/threads/${thread}`);
      expect(await count()).toBe(0);

      await ada.wait(await ada.thread(), question('I only ever drink green tea'));
      expect(await count()).toBe(1);
      await ada.ok('DELETE', '/memory');
      expect(await count()).toBe(0);
    }));

  it.each([{ enabled: false }, { extraction_enabled: false }])('do not exist with %j', (memory) =>
    waiting(memory, async (ada, count) => {
      await ada.wait(await ada.thread(), question('I only ever drink green tea'));
      expect(await count()).toBe(0);
      expect((await ada.ok('GET', '/memory/config')).extraction_enabled).toBe(false);
    }),
  );
});
