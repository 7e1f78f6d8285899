import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemorySaver } from '@langchain/langgraph';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAgentTables } from '../../../testing/agent-tables.ts';
import { builtInAgents } from '../lead/built-in-agents.ts';
import { StoreItemStore } from '../store/store-item-store.ts';
import { StoreItems } from '../store/store-items.ts';
import { agentDefinitions } from './agent-definitions.ts';
import { Agents, type ResolvedAgent } from './agents.ts';
import { AgentModules } from './load-agent-modules.ts';
import { usableLanggraphJson } from './usable-langgraph-json.ts';

const packages = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));
let cwd = '';
let items: StoreItems;
const warnings: [object, string][] = [];
const variables: Record<string, string> = {};
const corsOrigins = ['https://a.example'];
const log = { warn: (details: object, message: string) => void warnings.push([details, message]) };

beforeAll(async () => {
  const store = new StoreItemStore(await openAgentTables());
  items = new StoreItems({ store, clock: Date.now });
});

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agents-'));
  warnings.length = 0;
  symlinkSync(packages, join(cwd, 'node_modules'));
  mkdirSync(join(cwd, 'src'));
  write('package.json', '{ "type": "module" }');
  write('src/good.ts', agentThatKeeps('good'));
  write('src/bad.ts', 'export const graph: = 1;\n');
});

afterEach(() => rmSync(cwd, { recursive: true }));
afterAll(() => vi.restoreAllMocks());

describe('agents', () => {
  it('are the built-in one, those of langgraph.json and those of the configuration', () => {
    write('langgraph.json', json({ good: './src/good.ts:graph', bad: './src/bad.ts:graph' }));

    expect(agents(['other=./src/good.ts:graph']).ids()).toEqual(['lead_agent', 'good', 'bad', 'other']);
  });

  it('keep working when another one is faulty', async () => {
    write('langgraph.json', json({ bad: './src/bad.ts:graph', good: './src/good.ts:graph' }));
    const all = agents();

    expect(await all.describeAll()).toMatchObject([
      { graphId: 'lead_agent', from: 'built in', fault: null },
      { graphId: 'bad', from: './src/bad.ts:graph', fault: { message: 'src/bad.ts:1: Unexpected "="' } },
      { graphId: 'good', fault: null },
    ]);
    await expect(all.graph('bad', { userId: 'ada' })).rejects.toMatchObject({ name: 'AgentFault', line: 1 });
    expect(warnings[0]).toEqual([
      { graphId: 'bad', fault: 'src/bad.ts:1: Unexpected "="' },
      'An agent cannot be loaded',
    ]);
  });

  it('are made by a function with the store and the checkpointer that they will have', async () => {
    write(
      'src/made.ts',
      `import { graph as kept } from './good.ts';
      export const graph = async ({ store, checkpointer }) => {
        await store.put(['made'], 'by', { checkpointer: checkpointer?.constructor.name ?? 'none' });
        return kept;
      };`,
    );
    const all = agents(['made=./src/made.ts:graph']);
    const { store } = await all.graph('made', { userId: 'ada', checkpointer: new MemorySaver() });
    expect((await store?.get(['made'], 'by'))?.value).toEqual({ checkpointer: 'MemorySaver' });
    await all.graph('made', { userId: 'ada' });
    expect((await store?.get(['made'], 'by'))?.value).toEqual({ checkpointer: 'none' });
  });

  it('are loaded once, on their first use', async () => {
    write('langgraph.json', json({ good: './src/good.ts:graph' }));
    const all = agents();
    write('src/good.ts', agentThatKeeps('changed before its first use'));
    const first = await all.graph('good', { userId: 'ada' });
    write('src/good.ts', agentThatKeeps('changed after it'));
    const second = await all.graph('good', { userId: 'ada' });

    expect((await first.invoke({ messages: 'hi' })).messages.at(-1).text).toBe(
      'changed before its first use',
    );
    expect((await second.invoke({ messages: 'hi' })).messages.at(-1).text).toBe(
      'changed before its first use',
    );
  });

  it('work again once their file is corrected', async () => {
    write('langgraph.json', json({ bad: './src/bad.ts:graph' }));
    const all = agents();
    await expect(all.graph('bad', { userId: 'ada' })).rejects.toThrow('Unexpected');
    write('src/bad.ts', agentThatKeeps('corrected'));
    expect(await all.reload()).toEqual([]);

    const graph = await all.graph('bad', { userId: 'ada' });
    expect((await graph.invoke({ messages: 'hi' })).messages.at(-1).text).toBe('corrected');
  });

  it('work again once a file that threw is corrected, without being told', async () => {
    write('src/key.ts', "throw new Error('The key is missing');\n");
    write('src/bad.ts', `import './key.ts';\n${agentThatKeeps('corrected')}`);
    write('langgraph.json', json({ bad: './src/bad.ts:graph' }));
    const all = agents();
    await expect(all.graph('bad', { userId: 'ada' })).rejects.toThrow('The key is missing');
    await expect(all.graph('bad', { userId: 'ada' })).rejects.toThrow('The key is missing');
    write('src/key.ts', 'export const key = 1;\n');

    const graph = await all.graph('bad', { userId: 'ada' });
    expect((await graph.invoke({ messages: 'hi' })).messages.at(-1).text).toBe('corrected');
  });

  it('give each run its own checkpointer and store', async () => {
    write('langgraph.json', json({ good: './src/good.ts:graph' }));
    const all = agents();
    const saver = new MemorySaver();
    const config = { configurable: { thread_id: 't' } };
    const forAda = await all.graph('good', { userId: 'ada', checkpointer: saver });
    const forBob = await all.graph('good', { userId: 'bob', checkpointer: new MemorySaver() });
    await Promise.all([
      forAda.invoke({ messages: 'from ada' }, config),
      forBob.invoke({ messages: 'from bob' }, config),
    ]);

    const state = await saver.getTuple(config);
    expect(JSON.stringify(state?.checkpoint.channel_values)).toContain('from ada');
    expect(JSON.stringify(state?.checkpoint.channel_values)).not.toContain('from bob');
    expect(await items.get({ user: 'ada' }, ['seen'], { key: 'last' })).toMatchObject({
      value: { text: 'from ada' },
    });
    expect(await items.get({ user: 'bob' }, ['seen'], { key: 'last' })).toMatchObject({
      value: { text: 'from bob' },
    });
  });

  it('do not keep the process busy while a run waits', async () => {
    write('src/slow.ts', agentThatWaits(60));
    write('langgraph.json', json({ slow: './src/slow.ts:graph' }));
    const graph = await agents().graph('slow', { userId: 'ada' });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await graph.invoke({ messages: 'hi' });

    expect(timers.mock.calls.length).toBeLessThan(10);
    timers.mockRestore();
  });
});

describe('resolving what a run names', () => {
  const own: ResolvedAgent = {
    assistantId: '0b7e1f7c-0000-4000-8000-000000000001',
    graphId: 'lead_agent',
    config: { recursion_limit: 5 },
    context: { tone: 'dry' },
    metadata: {},
  };

  it('takes the name of a graph, and the id that follows from it', async () => {
    write('langgraph.json', json({ agent: './src/good.ts:graph' }));
    const all = agents();
    const system = {
      assistantId: 'fe096781-5601-53d2-b2f6-0d3403f7e9ca',
      graphId: 'agent',
      metadata: { created_by: 'system' },
    };

    expect(await all.resolve({ user: 'ada' }, 'agent')).toMatchObject(system);
    expect(await all.resolve({ user: 'ada' }, system.assistantId)).toMatchObject(system);
  });

  it("takes a user's own assistant, for that user alone", async () => {
    const all = agents([], own);

    expect(await all.resolve({ user: 'ada' }, own.assistantId)).toEqual(own);
    await expect(all.resolve({ user: 'bob' }, own.assistantId)).rejects.toMatchObject({
      code: 'assistant_not_found',
    });
  });

  it('accepts a custom agent last: it runs as the lead agent, which is told its name', async () => {
    const asked: string[] = [];
    const all = agents([], own, async (named) => {
      asked.push(named);
      return named === 'Painter' ? 'painter' : null;
    });

    expect(await all.resolve({ user: 'ada' }, 'Painter')).toEqual({
      assistantId: 'painter',
      graphId: 'lead_agent',
      config: { configurable: { agent_name: 'painter' } },
      context: {},
      metadata: { created_by: 'user' },
    });
    await all.resolve({ user: 'ada' }, 'lead_agent');
    await all.resolve({ user: 'ada' }, own.assistantId);
    expect(asked).toEqual(['Painter']);
  });

  it.each(['unknown', 'LEAD_AGENT', '', '__proto__'])('does not find %j', async (named) => {
    await expect(agents().resolve({ user: 'ada' }, named)).rejects.toMatchObject({
      code: 'assistant_not_found',
    });
  });
});

describe('langgraph.json', () => {
  it.each([
    ['{ "graphs": { "a": "./a.ts:b" }, }', 'langgraph.json:1: is not valid JSON'],
    ['{\n  "graphs": {,\n}', 'langgraph.json:2: is not valid JSON'],
    ['[]', 'langgraph.json: must be an object'],
    ['{}', 'langgraph.json: needs graphs'],
    ['{ "graphs": { "a": 3 } }', 'langgraph.json: graphs.a must be a text'],
    ['{ "graphs": {}, "env": { "A": 1 } }', 'langgraph.json: env.A must be a text'],
    ['{ "graphs": {}, "store": { "index": { "dims": 3 } } }', 'langgraph.json: store.index.embed must name'],
    ['{ "graphs": {}, "store": { "index": { "embed": "m", "dims": 0 } } }', 'store.index.dims must be'],
    ['{ "graphs": {}, "store": { "index": { "embed": "m", "fields": [] } } }', 'store.index.fields must be'],
  ])('that says %j is told, and the built-in agent stays', (text, fault) => {
    write('langgraph.json', text);

    expect(agents().ids()).toEqual(['lead_agent']);
    expect(warnings).toEqual([[{ fault: expect.stringContaining(fault) }, 'langgraph.json cannot be used']]);
  });

  it.each([['encryption', { path: './src/encryption.ts:encryption' }]])(
    'with the key %s is refused by name, so that no graph runs without it',
    (key, value) => {
      const text = JSON.stringify({ graphs: { good: './src/good.ts:graph' }, [key]: value });
      write('langgraph.json', text);

      expect(agents().ids()).toEqual(['lead_agent']);
      const fault = expect.stringContaining(`langgraph.json: has the key ${key}: `);
      expect(warnings).toEqual([[{ fault }, 'langgraph.json cannot be used']]);
    },
  );

  it.each([
    [{ path: './src/auth.ts:auth', cache: { ttl: 1 } }, 'has the key auth.cache, which is not served'],
    [{ path: './src/auth.ts:auth', disable_studio_auth: 'yes' }, 'auth.disable_studio_auth must be'],
    [{ disable_studio_auth: true }, 'auth.path must be a text'],
    [{ path: 3 }, 'auth.path must be a text'],
    ['./src/auth.ts', 'auth must be an object'],
  ])('with auth %j is refused by name, so that no graph runs without it', (auth, message) => {
    write('langgraph.json', JSON.stringify({ graphs: { good: './src/good.ts:graph' }, auth }));

    expect(agents().ids()).toEqual(['lead_agent']);
    const fault = expect.stringContaining(`langgraph.json: ${message}`);
    expect(warnings).toEqual([[{ fault }, 'langgraph.json cannot be used']]);
  });

  it.each([
    [{ disable_store: true }, 'has the key http.disable_store, which is not served'],
    [{ app: 3 }, 'http.app must be a text'],
    ['./src/app.ts', 'http must be an object'],
  ])('with http %j is refused by name', (http, message) => {
    write('langgraph.json', JSON.stringify({ graphs: {}, http }));

    expect(agents().ids()).toEqual(['lead_agent']);
    const fault = expect.stringContaining(`langgraph.json: ${message}`);
    expect(warnings).toEqual([[{ fault }, 'langgraph.json cannot be used']]);
  });

  it('gives its variables to the agents, from a file or from itself', () => {
    write('.env', 'FROM_FILE="one # not a comment"\n# nothing\nPLAIN=two\n');
    write('langgraph.json', '{ "graphs": {}, "env": "./.env" }');
    agents();
    expect(variables).toMatchObject({ FROM_FILE: 'one # not a comment', PLAIN: 'two' });

    write('langgraph.json', '{ "graphs": {}, "env": { "AS_IT_STANDS": "three" } }');
    agents();
    expect(variables.AS_IT_STANDS).toBe('three');
  });

  it('reports which of its keys have no effect here', () => {
    write(
      'langgraph.json',
      JSON.stringify({
        graphs: { good: './src/good.ts:graph' },
        dependencies: ['.'],
        store: { ttl: { default_ttl: 5 } },
        checkpointer: { serde: { allowed: [] } },
        image_distro: 'wolfi',
        ui: { agent: './src/ui.tsx' },
        auth: { path: './src/auth.ts:auth', openapi: { securitySchemes: {} } },
        http: { enable_custom_route_auth: true, disable_mcp: true, cors: { allow_origins: corsOrigins } },
      }),
    );

    expect(agents().ids()).toEqual(['lead_agent', 'good']);
    const keys = ['image_distro', 'ui', 'store.ttl', 'checkpointer.serde', 'auth.openapi'].concat(
      ['enable_custom_route_auth', 'disable_mcp', 'cors'].map((key) => `http.${key}`),
    );
    expect(warnings).toEqual([
      [{ file: 'langgraph.json', keys }, 'Keys of langgraph.json without effect here'],
    ]);
  });

  it.each([
    [{ env: '.env' }, 'env names the file .env, which does not exist: no variable is set'],
    [
      { http: { cors: { allow_origins: ['https://a.example', 'https://b.example'] } } },
      'http.cors lets in https://a.example, https://b.example, and the gateway https://a.example: set server.cors.origins, which takes exact origins',
    ],
    [
      { http: { cors: { allow_origins: corsOrigins, allow_origin_regex: '.*' } } },
      'http.cors lets in https://a.example, the pattern .*, and the gateway https://a.example: set server.cors.origins, which takes exact origins',
    ],
    [
      { checkpointer: { ttl: { strategy: 'delete', default_ttl: 60 } } },
      'checkpointer.ttl has no effect here, so no thread goes by itself: give a thread its own ttl when it is made',
    ],
  ])('with %j warns, and its graphs are used', (more, warning) => {
    write('langgraph.json', JSON.stringify({ graphs: { good: './src/good.ts:graph' }, ...more }));

    expect(agents().ids()).toEqual(['lead_agent', 'good']);
    expect(warnings).toEqual([[{ file: 'langgraph.json' }, `langgraph.json: ${warning}`]]);
  });

  it('accepts a description beside a path', async () => {
    write(
      'langgraph.json',
      '{ "graphs": { "a": { "path": "./src/good.ts:graph", "description": "Good." } } }',
    );

    expect((await agents().describeAll())[1]).toMatchObject({
      graphId: 'a',
      description: 'Good.',
      fault: null,
    });
  });
});

const turn = {
  title: { enabled: true, model: null },
  summarization: { enabled: true, model: null, tokens: 1_000, messages: 10, keep: 4 },
};

function agents(
  configured: string[] = [],
  own?: ResolvedAgent,
  customAgent: (named: string) => Promise<string | null> = async () => null,
): Agents {
  const modules = new AgentModules();
  const setVariables = (given: Record<string, string>) => void Object.assign(variables, given);
  return new Agents({
    definitions: agentDefinitions({
      builtIn: builtInAgents({ workflows: null, models: { configured: [], cwd, fetch }, turn, log }),
      configured,
      listed: usableLanggraphJson({ cwd, corsOrigins, setVariables, log }).graphs,
      cwd,
      modules,
      log,
    }),
    modules,
    storedAssistant: async (owner, id) =>
      'user' in owner && owner.user === 'ada' && id === own?.assistantId ? own : undefined,
    customAgent: (_owner, named) => customAgent(named),
    storeItems: items,
    log,
  });
}

function agentThatKeeps(text: string): string {
  return `import { getStore, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }, config) => {
    const said: string = messages.at(-1)?.text ?? '';
    await config.store?.put(['seen'], 'last', { text: said });
    await getStore()?.get(['seen'], 'last');
    return { messages: [{ role: 'ai', content: '${text}' }] };
  })
  .addEdge('__start__', 'answer')
  .compile();
`;
}

function agentThatWaits(ms: number): string {
  return `import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async () => {
    await new Promise((resolve) => setTimeout(resolve, ${ms}));
    return {};
  })
  .addEdge('__start__', 'answer')
  .compile();
`;
}

function json(graphs: Record<string, string>): string {
  return JSON.stringify({ graphs });
}

function write(path: string, text: string): void {
  writeFileSync(join(cwd, path), text);
}
