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
const names = (assistants: { name: string }[]) => assistants.map(({ name }) => name);

describe('the assistants of graphs', () => {
  it('are found, one for each graph that can be loaded', async () => {
    const { body, headers } = await ada.post('/assistants/search', { limit: 100 });

    expect(names(body).slice(0, 1)).toEqual(['lead_agent']);
    expect(names(body)).toContain('chat');
    expect(names(body)).not.toContain('broken');
    expect(headers.get('x-pagination-total')).toBe(String(body.length));
    expect(headers.get('x-pagination-next')).toBeNull();
    expect(await ada.ok('POST', '/assistants/count', {})).toBe(body.length);
  });

  it('are found by name and by the id that is derived from the name', async () => {
    const byName = await ada.ok('GET', '/assistants/lead_agent');
    expect(byName).toEqual({
      assistant_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
      graph_id: 'lead_agent',
      name: 'lead_agent',
      description: 'Answers and runs workflows on the pool.',
      config: {},
      context: {},
      metadata: { created_by: 'system' },
      version: 1,
      created_at: iso,
      updated_at: iso,
    });
    expect(await ada.ok('GET', `/assistants/${byName.assistant_id}`)).toEqual(byName);
    expect(await ada.at('/api/langgraph').ok('GET', '/assistants/lead_agent')).toEqual(byName);
  });

  it('cannot be changed or deleted', async () => {
    const answers = await Promise.all([
      ada.call('PATCH', '/assistants/chat', { body: { name: 'mine' } }),
      ada.call('DELETE', '/assistants/chat'),
      ada.post('/assistants/chat/latest', { version: 1 }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('of a faulty file report the line of the fault', async () => {
    for (const path of ['', '/schemas', '/graph', '/subgraphs']) {
      const answer = await ada.get(`/assistants/broken${path}`);
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: expect.stringMatching(/broken\.ts:\d+: /) },
      });
      expect(answer.text).not.toContain(process.cwd());
    }
  });

  it('show their graph, with its inputs and outputs', async () => {
    const graph = await ada.ok('GET', '/assistants/lead_agent/graph?xray=true');
    expect(graph.nodes).toContainEqual(expect.objectContaining({ id: 'model_request' }));
    expect(graph.edges).toContainEqual(expect.objectContaining({ source: '__start__' }));

    const schemas = await ada.ok('GET', '/assistants/lead_agent/schemas');
    expect(Object.keys(schemas).sort()).toEqual([
      'config_schema',
      'context_schema',
      'graph_id',
      'input_schema',
      'output_schema',
      'state_schema',
    ]);
    expect(Object.keys(schemas.state_schema.properties)).toEqual(
      expect.arrayContaining(['messages', 'title', 'artifacts', 'todos']),
    );
    expect(await ada.ok('GET', '/assistants/chat/schemas')).toMatchObject({
      input_schema: { properties: { messages: {} } },
    });
  });

  it('say of channels what their first value says', async () => {
    const { state_schema } = await ada.ok('GET', '/assistants/made/schemas');
    expect(state_schema.properties).toMatchObject({ log: { type: 'array' }, topic: {} });
    const { input_schema } = await ada.ok('GET', '/assistants/chat/schemas');
    expect(input_schema.properties.messages).toMatchObject({ type: 'array' });
  });

  it('list the graphs inside them', async () => {
    const all = await ada.ok('GET', '/assistants/nested/subgraphs?recurse=true');
    const [first = ''] = Object.keys(all);

    expect(all[first]).toMatchObject({ graph_id: 'nested', state_schema: { type: 'object' } });
    expect(all[first].state).toEqual(all[first].state_schema);
    expect(Object.keys(await ada.ok('GET', `/assistants/nested/subgraphs/${first}`))).toEqual([first]);
    expect(await ada.ok('GET', '/assistants/chat/subgraphs')).toEqual({});
  });
});

describe('an assistant of a user', () => {
  it('is created, found, run with its settings, and deleted', async () => {
    const made = await ada.ok('POST', '/assistants', {
      graph_id: 'lead_agent',
      name: 'Sober',
      metadata: { team: 'blue' },
      config: { recursion_limit: 1 },
    });
    expect(made).toMatchObject({ graph_id: 'lead_agent', version: 1, description: null, context: {} });

    const found = await ada.ok('POST', '/assistants/search', { metadata: { team: 'blue' }, name: 'SOB' });
    expect(found).toEqual([made]);
    const run = await ada.ok('POST', '/runs/wait', { assistant_id: made.assistant_id, input: says('hello') });
    expect(run.__error__).toMatchObject({ error: 'GraphRecursionError' });

    expect((await ada.call('DELETE', `/assistants/${made.assistant_id}`)).status).toBe(204);
    expect((await ada.get(`/assistants/${made.assistant_id}`)).status).toBe(404);
  });

  it('is hidden from other users', async () => {
    const { assistant_id: id } = await ada.ok('POST', '/assistants', { graph_id: 'chat', name: 'Private' });
    const answers = await Promise.all([
      bob.get(`/assistants/${id}`),
      bob.get(`/assistants/${id}/schemas`),
      bob.call('PATCH', `/assistants/${id}`, { body: { name: 'taken' } }),
      bob.call('DELETE', `/assistants/${id}`),
      bob.post(`/assistants/${id}/versions`),
      bob.post(`/assistants/${id}/latest`, { version: 1 }),
      bob.post('/runs/wait', { assistant_id: id, input: says('x') }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(404));
    expect(answers[0]?.body).toEqual({ detail: `Assistant ${id} not found` });
    expect(await bob.ok('POST', '/assistants/search', { name: 'Private' })).toEqual([]);
    expect(await ada.ok('GET', `/assistants/${id}`)).toMatchObject({ name: 'Private' });
  });

  it('may have an id that another user has chosen as well', async () => {
    const assistant_id = '11111111-1111-4111-8111-111111111111';
    await ada.ok('POST', '/assistants', { assistant_id, graph_id: 'chat', name: 'of ada' });
    await bob.ok('POST', '/assistants', { assistant_id, graph_id: 'chat', name: 'of bob' });

    expect(await ada.ok('GET', `/assistants/${assistant_id}`)).toMatchObject({ name: 'of ada' });
    expect(await bob.ok('GET', `/assistants/${assistant_id}`)).toMatchObject({ name: 'of bob' });
  });

  it('that exists already is a conflict, unless the caller accepts the existing one', async () => {
    const body = { assistant_id: '22222222-2222-4222-8222-222222222222', graph_id: 'chat', name: 'first' };
    const made = await ada.ok('POST', '/assistants', body);
    const { assistant_id: ofGraph } = await ada.ok('GET', '/assistants/chat');

    expect((await ada.post('/assistants', body)).status).toBe(409);
    expect((await ada.post('/assistants', { ...body, assistant_id: ofGraph })).status).toBe(409);
    expect(await ada.ok('POST', '/assistants', { ...body, name: 'x', if_exists: 'do_nothing' })).toEqual(
      made,
    );
  });

  it('keeps its versions, and returns to an earlier one', async () => {
    const { assistant_id: id } = await ada.ok('POST', '/assistants', {
      graph_id: 'chat',
      name: 'one',
      metadata: { a: 1, b: 1 },
      context: { tone: 'dry' },
    });
    const second = await ada.ok('PATCH', `/assistants/${id}`, { name: 'two', metadata: { b: 2 } });
    expect(second).toMatchObject({
      version: 2,
      name: 'two',
      metadata: { a: 1, b: 2 },
      context: { tone: 'dry' },
    });

    const back = await ada.ok('POST', `/assistants/${id}/latest`, { version: 1 });
    expect(back).toMatchObject({ version: 1, name: 'one', metadata: { a: 1, b: 1 } });
    const third = await ada.ok('PATCH', `/assistants/${id}`, { description: 'Three.' });
    expect(third).toMatchObject({ version: 3, name: 'one', description: 'Three.' });

    const versions = await ada.ok('POST', `/assistants/${id}/versions`, {});
    expect(versions.map(({ version, name }: { version: number; name: string }) => [version, name])).toEqual([
      [3, 'one'],
      [2, 'two'],
      [1, 'one'],
    ]);
    expect(await ada.ok('POST', `/assistants/${id}/versions`, { metadata: { b: 2 } })).toHaveLength(1);
    expect(await ada.ok('POST', `/assistants/${id}/versions`, { limit: 1, offset: 1 })).toHaveLength(1);
    expect((await ada.post(`/assistants/${id}/latest`, { version: 9 })).status).toBe(404);
  });

  it('is listed in pages, sorted and with selected fields', async () => {
    const user = await server.newUser('many@example.com');
    for (const name of ['c', 'a', 'b']) {
      await user.ok('POST', '/assistants', { graph_id: 'chat', name, metadata: { many: true } });
    }
    const requested = {
      metadata: { many: true },
      sort_by: 'name',
      sort_order: 'asc',
      select: ['name'],
      limit: 2,
    };
    const first = await user.post('/assistants/search', requested);

    expect(first.body).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(first.headers.get('x-pagination-total')).toBe('3');
    expect(first.headers.get('x-pagination-next')).toBe('2');
    expect(await user.ok('POST', '/assistants/search', { ...requested, offset: 2 })).toEqual([{ name: 'c' }]);
  });

  it.each([
    [{}, 422],
    [{ graph_id: 'nothing-of-this-name' }, 404],
    [{ graph_id: 'chat', assistant_id: 'my-assistant' }, 422],
    [{ graph_id: 'chat', config: { recursion_limit: 0 } }, 422],
    [{ graph_id: 'chat', config: 'x' }, 422],
    [{ graph_id: 'chat', if_exists: 'replace' }, 422],
  ])('cannot be made from %j', async (body, status) => {
    expect((await ada.post('/assistants', body)).status).toBe(status);
  });

  it.each([true, false])('takes its threads with it when it is deleted so: %s', async (withThreads) => {
    const { assistant_id } = await ada.ok('POST', '/assistants', { graph_id: 'chat', name: 'short-lived' });
    const [own, other] = [await ada.thread(), await ada.thread()];
    await ada.wait(own, { assistant_id, input: says('x') });
    await ada.wait(other, { assistant_id: 'chat', input: says('x') });
    await ada.ok('DELETE', `/assistants/${assistant_id}?delete_threads=${withThreads}`);
    expect((await ada.get(`/threads/${own}`)).status).toBe(withThreads ? 404 : 200);
    expect((await ada.get(`/threads/${other}`)).status).toBe(200);
    expect((await ada.get(`/assistants/${assistant_id}`)).status).toBe(404);
  });

  it('takes no thread of another user with it, and a foreign one is not found', async () => {
    const { assistant_id } = await ada.ok('POST', '/assistants', { graph_id: 'chat', name: 'of ada' });
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id, input: says('x') });
    const answer = await server.bob.call('DELETE', `/assistants/${assistant_id}?delete_threads=true`);
    expect(answer.status).toBe(404);
    expect((await ada.get(`/threads/${threadId}`)).status).toBe(200);
  });

  it('is found by an object that its metadata contain, the newest first', async () => {
    const metadata = { of: { team: 'blue', tags: ['a', 'b'] } };
    for (const name of ['older', 'newer']) {
      const { created_at } = await ada.ok('POST', '/assistants', { graph_id: 'chat', name, metadata });
      // The order of assistants of one millisecond is not promised.
      await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(created_at));
    }
    const find = async (wanted: object) =>
      (await ada.ok('POST', '/assistants/search', { metadata: wanted })).map(
        ({ name }: { name: string }) => name,
      );
    expect(await find({ of: { tags: ['b'] } })).toEqual(['newer', 'older']);
    expect(await find({ of: { team: 'red' } })).toEqual([]);
    const all = await ada.ok('POST', '/assistants/search', { limit: 100 });
    const times = all.map(({ created_at }: { created_at: string }) => created_at);
    expect(times).toEqual(times.toSorted().reverse());
  });
});

it('is hidden from callers without a credential', async () => {
  for (const path of ['/api/assistants/chat', '/api/langgraph/assistants/chat']) {
    expect((await server.gateway.fetch(path)).status).toBe(401);
  }
});
