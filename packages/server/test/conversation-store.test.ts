import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
});
afterAll(() => server.close());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the store', () => {
  it('stores a value, shows it on both mounts, and deletes it', async () => {
    const body = { namespace: ['notes', 'work'], key: 'one', value: { text: 'tea' } };
    expect(await ada.call('PUT', '/store/items', { body })).toMatchObject({ status: 204, text: '' });

    const item = { ...body, created_at: iso, updated_at: iso };
    const path = '/store/items?namespace=notes.work&key=one';
    expect(await ada.ok('GET', path)).toEqual(item);
    expect(await ada.at('/api/langgraph').ok('GET', path)).toEqual(item);
    expect(await ada.ok('POST', '/store/items/search', { namespace_prefix: ['notes'] })).toEqual({
      items: [item],
    });
    expect(await ada.ok('POST', '/store/namespaces', {})).toEqual({ namespaces: [['notes', 'work']] });

    const { namespace, key } = body;
    expect((await ada.call('DELETE', '/store/items', { body: { namespace, key } })).status).toBe(204);
    expect(await ada.get(path)).toMatchObject({ status: 200, text: 'null', body: null });
  });

  it('answers null in JSON for a missing item', async () => {
    const answer = await ada.get('/store/items?namespace=nothing&key=none');

    expect(answer).toMatchObject({ status: 200, text: 'null' });
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('shows no user the items of another', async () => {
    await ada.ok('PUT', '/store/items', { namespace: ['secret'], key: 'k', value: { of: 'ada' } });

    expect(await bob.ok('GET', '/store/items?namespace=secret&key=k')).toBeNull();
    expect(await bob.ok('POST', '/store/items/search', { namespace_prefix: ['secret'] })).toEqual({
      items: [],
    });
    await bob.ok('DELETE', '/store/items', { namespace: ['secret'], key: 'k' });
    expect(await ada.ok('GET', '/store/items?namespace=secret&key=k')).toMatchObject({
      value: { of: 'ada' },
    });
  });

  it('finds by filter, page by page', async () => {
    for (const rank of [1, 2, 3]) {
      await ada.ok('PUT', '/store/items', { namespace: ['ranks'], key: `k${rank}`, value: { rank } });
    }
    const search = { namespace_prefix: ['ranks'], filter: { rank: { $gte: 2 } }, limit: 1 };
    const keys = async (offset: number) => {
      const { items } = await ada.ok('POST', '/store/items/search', { ...search, offset });
      return items.map(({ key }: { key: string }) => key);
    };

    expect([await keys(0), await keys(1), await keys(2)]).toEqual([['k2'], ['k3'], []]);
  });

  it('is the store that the graphs of the same user use', async () => {
    await ada.ok('POST', '/runs/wait', { assistant_id: 'remembering', input: says('the sea') });
    const { items } = await ada.ok('POST', '/store/items/search', { namespace_prefix: [] });
    const kept = JSON.stringify(items);

    expect(kept).toContain('the sea');
    expect(JSON.stringify(await bob.ok('POST', '/store/items/search', {}))).not.toContain('the sea');
  });

  it.each([
    [{ namespace: [''], key: 'k', value: {} }, ['body', 'namespace', 0]],
    [{ namespace: ['a.b'], key: 'k', value: {} }, ['body', 'namespace', 0]],
    [{ namespace: [], key: 'k', value: {} }, ['body', 'namespace']],
    [{ namespace: ['a'], key: '', value: {} }, ['body', 'key']],
    [{ namespace: ['a'], key: 'k', value: [] }, ['body', 'value']],
    [{ namespace: ['a'], key: 'k', value: {}, ttl: 0 }, ['body', 'ttl']],
    [{ namespace: ['a'], key: 'k', value: {}, index: 'text' }, ['body', 'index']],
    [{ namespace: ['a'], key: 'k', value: { text: 'x'.repeat(100_000) } }, ['body', 'value']],
    [{ namespace: ['a'], key: 'k' }, ['body', 'value']],
  ])('refuses %j and says where', async (body, loc) => {
    expect(await ada.call('PUT', '/store/items', { body })).toMatchObject({
      status: 422,
      body: { detail: [{ loc }] },
    });
  });

  it('refuses to search by meaning, and says so', async () => {
    const answer = await ada.post('/store/items/search', { namespace_prefix: [], query: 'what I like' });

    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'query'] }] } });
    expect(answer.text).toContain('Set store.index of langgraph.json');
  });

  it('accepts the defaults that clients send', async () => {
    const nothing = { filter: null, limit: 10, offset: 0, query: null, refresh_ttl: null };

    expect((await ada.post('/store/items/search', { namespace_prefix: ['x'], ...nothing })).status).toBe(200);
    const put = { namespace: ['x'], key: 'k', value: {}, index: null, ttl: null };
    // Names of fields are for an index of meanings, which this gateway does not have.
    expect(
      (await ada.call('PUT', '/store/items', { body: { ...put, index: ['text', 'meta[*]'] } })).status,
    ).toBe(204);
    expect((await ada.call('PUT', '/store/items', { body: put })).status).toBe(204);
  });
});

describe('the models and the server information', () => {
  it('lists the models; the demo model says that it is simulated', async () => {
    const { models, token_usage } = await ada.ok('GET', '/models');

    expect(token_usage).toEqual({ enabled: true });
    expect(models).toEqual([
      {
        name: 'switchyard-demo',
        model: 'switchyard-demo',
        display_name: 'Demo model (simulated)',
        description: expect.stringContaining('Scripted'),
        supports_thinking: false,
        supports_reasoning_effort: false,
        supports_vision: false,
        input_price_per_million: null,
        output_price_per_million: null,
        price_currency: null,
        simulated: true,
      },
    ]);
    expect(await ada.ok('GET', '/models/switchyard-demo')).toEqual(models[0]);
    expect(await ada.get('/models/gpt')).toMatchObject({
      status: 404,
      body: { detail: "Model 'gpt' not found" },
    });
  });

  it.each(['/api', '/api/langgraph'])('describes the server under %s without a credential', async (mount) => {
    const info = await server.gateway.fetch(`${mount}/info`);
    expect(await info.json()).toEqual({
      version: '0.0.0-dev',
      langgraph_js_version: expect.stringMatching(/^1\.\d+\.\d+$/),
      context: 'js',
      flags: { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false },
    });
    const ok = await server.gateway.fetch(`${mount}/ok`);
    expect(await ok.json()).toEqual({ ok: true });
  });
});
