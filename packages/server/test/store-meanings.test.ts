import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@langchain/langgraph-sdk';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { type EmbeddingServer, startEmbeddingServer } from './support/embedding-server.ts';

const agent = fileURLToPath(new URL('./fixtures/agents/searching.ts', import.meta.url));
let folder: string;
let provider: EmbeddingServer;
let gateway: DevGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  provider = await startEmbeddingServer();
  folder = mkdtempSync(join(tmpdir(), 'store-meanings-'));
  const index = { embed: 'local:embed-1', dims: 4, fields: ['text', 'facts[*].about'] };
  const graphs = { searching: `${agent}:graph` };
  writeFileSync(join(folder, 'langgraph.json'), JSON.stringify({ graphs, store: { index } }));
  gateway = await startGateway({
    agentsFolder: folder,
    config: {
      models: readModels({ local: { base_url: provider.url, api_key: 'sk-test', model: 'chat-1' } }),
    },
  });
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'));
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  provider.fail(null);
  provider.asked.length = 0;
});

describe('a search of the store by meaning', () => {
  beforeAll(async () => {
    await put(['drinks', 'hot'], 'one', { text: 'tea at five' });
    await put(['drinks', 'hot'], 'two', { text: 'coffee, and tea' });
    await put(['trips'], 'three', { text: 'a boat on the sea' });
    await put(['trips'], 'four', { facts: [{ about: 'nothing' }, { about: 'tea' }] });
  });

  it('finds the nearest first, with a score, below a namespace', async () => {
    const all = await found({ query: 'tea' });
    expect(all.slice(0, 2).sort()).toEqual(['four', 'one']);
    expect(all.slice(2)).toEqual(['two', 'three']);
    expect(await found({ query: 'tea', namespace_prefix: ['drinks'] })).toEqual(['one', 'two']);
    const { items } = await ada.ok('POST', '/store/items/search', { query: 'sea', limit: 1 });
    expect(items).toEqual([
      expect.objectContaining({
        key: 'three',
        value: { text: 'a boat on the sea' },
        score: expect.closeTo(0.71, 2),
      }),
    ]);
  });

  it('holds to the filter and the page', async () => {
    expect(await found({ query: 'tea', filter: { text: 'coffee, and tea' } })).toEqual(['two']);
    expect(await found({ query: 'tea', namespace_prefix: ['drinks'], limit: 1, offset: 1 })).toEqual(['two']);
  });

  it('shows no user the items of another', async () => {
    await bob.ok('PUT', '/store/items', { namespace: ['mine'], key: 'k', value: { text: 'tea' } });

    expect((await bob.ok('POST', '/store/items/search', { query: 'tea' })).items).toHaveLength(1);
    expect(await found({ query: 'tea', namespace_prefix: ['mine'] })).toEqual([]);
  });

  it('works in the SDK of LangGraph', async () => {
    const client = new Client({ apiUrl: `${gateway.url}/api/langgraph`, apiKey: ada.token });
    const { items } = await client.store.searchItems(['drinks'], { query: 'coffee', limit: 1 });
    expect(items).toMatchObject([{ key: 'two', score: expect.any(Number) }]);
  });

  it('works in a graph, which may say itself what is indexed', async () => {
    const { answer } = await ada.ok('POST', '/runs/wait', {
      assistant_id: 'searching',
      input: { about: 'boat' },
    });
    expect(answer).toEqual(['named', 'usual']);
  });
});

describe('an index whose model no entry of `models` has', () => {
  afterEach(() => void vi.unstubAllEnvs());
  const embed = 'openai:embed-1';
  const start = (env: Record<string, string>) => {
    writeFileSync(
      join(folder, 'langgraph.json'),
      JSON.stringify({ graphs: {}, store: { index: { embed } }, env }),
    );
    return startGateway({ agentsFolder: folder });
  };

  it('works with a key of OpenAI in env', async () => {
    // langgraph.json sets variables that are not set yet, which the stubs take away again.
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    const other = await start({ OPENAI_API_KEY: 'sk-env', OPENAI_BASE_URL: provider.url });
    try {
      const eve = await ConversationCaller.of(other.url, await other.register('eve@example.com'));
      await eve.ok('PUT', '/store/items', { namespace: ['a'], key: 'k', value: { text: 'tea' } });
      const { items } = await eve.ok('POST', '/store/items/search', { namespace_prefix: [], query: 'tea' });
      expect(items).toMatchObject([{ key: 'k', score: expect.any(Number) }]);
      expect(provider.asked).toContain('tea');
    } finally {
      await other.stop();
    }
  });

  it('is told with what is missing', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const other = await start({});
    const faults = (await other.context.conversation?.ownAgents())?.map(({ fault }) => fault);
    await other.stop();
    expect(faults).toEqual([expect.stringContaining('needs OPENAI_API_KEY in env')]);
  });
});

describe('an item of the store', () => {
  it.each([
    [{ text: 'tea', other: 'coffee' }, undefined, ['tea']],
    [{ text: 'tea', other: 'coffee' }, ['other'], ['coffee']],
    [{ text: 'tea' }, ['$'], ['{"text":"tea"}']],
    [{ list: ['tea', 'sea'] }, ['list[*]'], ['tea', 'sea']],
    [{ text: 'tea' }, false, []],
    [{ none: 1 }, undefined, []],
  ])('%j with the index %j has the meanings of %j', async (value, index, texts) => {
    await put(['indexed'], 'k', value, index);

    expect(provider.asked).toEqual(texts);
    const expected = texts.length > 0 ? ['k'] : [];
    expect(await found({ query: 'x', namespace_prefix: ['indexed'] })).toEqual(expected);
  });

  it('is no longer found by what it was before, or after it was deleted', async () => {
    await put(['changing'], 'k', { text: 'tea' });
    await put(['changing'], 'k', { text: 'sea' });
    const { items } = await ada.ok('POST', '/store/items/search', {
      query: 'tea',
      namespace_prefix: ['changing'],
    });
    expect(items).toMatchObject([{ score: expect.closeTo(0.02, 1) }]);

    await ada.ok('DELETE', '/store/items', { namespace: ['changing'], key: 'k' });
    expect(await found({ query: 'sea', namespace_prefix: ['changing'] })).toEqual([]);
  });

  it('is not stored when its texts are more than the index takes', async () => {
    const value = { list: Array.from({ length: 17 }, (_, index) => `tea ${index}`) };
    const body = { namespace: ['many'], key: 'k', value, index: ['list[*]'] };

    expect(await ada.call('PUT', '/store/items', { body })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'index'] }] },
    });
    expect(await ada.ok('GET', '/store/items?namespace=many&key=k')).toBeNull();
  });
});

describe('a model of embeddings that does not answer', () => {
  it.each([401, 500])('with %i stops what needs it, names it, and leaves its words out', async (status) => {
    provider.fail(status);
    const body = { namespace: ['lost'], key: 'k', value: { text: 'tea' } };
    const put = await ada.call('PUT', '/store/items', { body });
    const search = await ada.post('/store/items/search', { query: 'tea' });

    for (const answer of [put, search]) {
      expect(answer.status).toBe(503);
      expect(answer.text).toContain('embed-1');
      expect(answer.text).not.toContain('secret of the provider');
    }
    expect(await ada.ok('GET', '/store/items?namespace=lost&key=k')).toBeNull();
  });
});

async function put(namespace: string[], key: string, value: object, index?: unknown): Promise<void> {
  await ada.ok('PUT', '/store/items', { namespace, key, value, ...(index !== undefined && { index }) });
}

async function found(search: object): Promise<string[]> {
  const { items } = await ada.ok('POST', '/store/items/search', search);
  return items.map(({ key }: { key: string }) => key);
}
