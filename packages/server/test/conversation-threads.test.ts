import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let langgraph: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
  langgraph = ada.at('/api/langgraph');
});
afterAll(() => server.close());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const idsOf = (threads: { thread_id: string }[]) => threads.map(({ thread_id }) => thread_id);

describe('creating a thread', () => {
  it('returns the thread', async () => {
    const answer = await ada.post('/threads', { metadata: { topic: 'x' }, assistant_id: 'chat' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'idle',
        created_at: iso,
        updated_at: iso,
        state_updated_at: iso,
        run_ended_at: null,
        unread: false,
        assistant_id: 'chat',
        metadata: { topic: 'x' },
        values: {},
        interrupts: {},
        error: null,
      },
    });
    expect(answer.body).not.toHaveProperty('user_id');
  });

  it('that exists already succeeds under /api and is a conflict under /api/langgraph, unless the request says otherwise', async () => {
    for (const [caller, standard] of [
      [ada, 200],
      [langgraph, 409],
    ] as const) {
      const threadId = await caller.thread({ metadata: { first: true } });
      const again = async (requested: object) =>
        (await caller.post('/threads', { thread_id: threadId, metadata: { second: true }, ...requested }))
          .status;
      expect(await again({})).toBe(standard);
      expect(await again({ if_exists: 'raise' })).toBe(409);
      expect(await again({ if_exists: 'do_nothing' })).toBe(200);
      expect((await caller.ok('GET', `/threads/${threadId}`)).metadata).toEqual({ first: true });
    }
    const threadId = await langgraph.thread();
    expect(await langgraph.post('/threads', { thread_id: threadId })).toMatchObject({
      body: { detail: 'Thread already exists' },
    });
  });

  it('many times at once creates it once', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, () => ada.post('/threads', { thread_id: 'all-at-once' })),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(made.map(({ body }) => body.created_at)).size).toBe(1);
  });

  it('ignores any owner in the request', async () => {
    const metadata = { owner_id: 'somebody', user_id: 'somebody', auth_token: 'secret', kept: 1 };
    const threadId = await ada.thread({ metadata, user_id: 'somebody' });
    const thread = await ada.ok('GET', `/threads/${threadId}`);
    expect(thread.metadata).toEqual({ kept: 1 });
    const patched = await ada.ok('PATCH', `/threads/${threadId}`, { metadata: { user_id: 'x', more: 2 } });
    expect(patched.metadata).toEqual({ kept: 1, more: 2 });
    expect(idsOf(await ada.ok('POST', '/threads/search', { ids: [threadId] }))).toEqual([threadId]);
  });

  it.each(['', 'a b', 'a/b', '../x', 'ä', 'x'.repeat(65)])(
    'under the id %j is refused everywhere',
    async (id) => {
      expect((await ada.post('/threads', { thread_id: id })).status).toBe(422);
      if (id === '' || id.includes('/')) return;
      const path = `/threads/${encodeURIComponent(id)}`;
      for (const [method, rest] of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/state'],
        ['GET', '/messages'],
        ['GET', '/runs'],
      ] as const) {
        const { status, body } = await ada.call(method, path + rest);
        expect({ rest, status, loc: body.detail[0].loc }).toEqual({
          rest,
          status: 422,
          loc: ['path', 'thread_id'],
        });
      }
    },
  );

  it('can include an initial state', async () => {
    const thread = await langgraph.ok('POST', '/threads', {
      metadata: { graph_id: 'approval' },
      assistant_id: 'approval',
      supersteps: [
        { updates: [{ values: { plan: 'copy' }, as_node: '__start__' }] },
        { updates: [{ values: { log: ['prepared copy'] }, as_node: 'prepare' }] },
      ],
    });
    expect(thread.values).toMatchObject({ plan: 'copy', log: ['prepared copy'] });
    const values = await langgraph.wait(thread.thread_id, { assistant_id: 'approval', input: null });
    expect(values.__interrupt__).toMatchObject([{ value: { question: 'May I copy?' } }]);
  });
});

describe('a time to live', () => {
  it.each([{ ttl: 5, strategy: 'keep_latest' }, { ttl: 0.5 }, 5])(
    'can be given and changed: %j',
    async (ttl) => {
      const threadId = await langgraph.thread({ ttl });
      await langgraph.ok('PATCH', `/threads/${threadId}`, { metadata: { a: 1 }, ttl });
      await langgraph.ok('PATCH', `/threads/${threadId}`, { ttl: null });
      expect(await langgraph.ok('GET', `/threads/${threadId}`)).toMatchObject({ metadata: { a: 1 } });
    },
  );

  it.each([0, -1, '5', { strategy: 'delete' }, { ttl: 5, strategy: 'forget' }, { ttl: 1e9 }])(
    'is refused when it cannot be obeyed: %j',
    async (ttl) => {
      expect((await langgraph.post('/threads', { ttl })).status).toBe(422);
      const threadId = await langgraph.thread();
      const changed = await langgraph.call('PATCH', `/threads/${threadId}`, { body: { ttl } });
      expect(changed.status).toBe(422);
    },
  );
});

describe('a thread without runs', () => {
  it('has an empty state and no history', async () => {
    for (const caller of [ada, langgraph]) {
      const threadId = await caller.thread();
      expect(await caller.ok('GET', `/threads/${threadId}/state`)).toMatchObject({
        values: {},
        next: [],
        tasks: [],
        checkpoint: null,
      });
      expect(await caller.ok('POST', `/threads/${threadId}/history`, {})).toEqual([]);
      expect(await caller.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
    }
  });
});

describe('a thread whose run has not begun', () => {
  it('has a state that says so, so that a page that is opened then follows the run', async () => {
    const threadId = await ada.thread();
    const later = { assistant_id: 'chat', input: says('later'), after_seconds: 3_600 };
    const stateNow = () => ada.ok('GET', `/threads/${threadId}/state`);
    const first = await ada.run(threadId, later);
    expect(await stateNow()).toMatchObject({ values: {}, next: ['__start__'], checkpoint: null });
    await ada.ok('POST', `/threads/${threadId}/runs/${first.run_id}/cancel`);
    expect(await stateNow()).toMatchObject({ next: [] });

    const { messages } = await ada.ok('POST', `/threads/${threadId}/runs/wait`, {
      assistant_id: 'chat',
      input: says('hello'),
    });
    expect(await stateNow()).toMatchObject({ next: [] });
    await ada.run(threadId, later);
    expect(await stateNow()).toMatchObject({ values: { messages }, next: ['__start__'] });
  });
});

describe('changing metadata', () => {
  it('merges, and loses nothing when two requests change it at once', async () => {
    const threadId = await ada.thread({ metadata: { a: 1, deep: { x: 1 } } });
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        ada.ok('PATCH', `/threads/${threadId}`, { metadata: { [`key${index}`]: index } }),
      ),
    );
    await ada.ok('PATCH', `/threads/${threadId}`, { metadata: { a: null, deep: { y: 2 } } });
    expect((await ada.ok('GET', `/threads/${threadId}`)).metadata).toEqual({
      a: null,
      deep: { y: 2 },
      ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`key${index}`, index])),
    });
  });

  it('returns no body when the client prefers a minimal answer', async () => {
    const threadId = await ada.thread();
    const answer = await ada.call('PATCH', `/threads/${threadId}`, {
      body: { metadata: { a: 1 } },
      headers: { prefer: 'return=minimal' },
    });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
  });
});

describe('searching threads', () => {
  it('works by metadata with its type, newest change first, page by page', async () => {
    const mark = 'search-1';
    const ids: string[] = [];
    for (const size of [1, '1', true, null, 2.5]) ids.unshift(await ada.thread({ metadata: { mark, size } }));
    const search = async (body: object) => {
      const answer = await ada.post('/threads/search', body);
      return {
        ids: idsOf(answer.body),
        total: answer.headers.get('x-pagination-total'),
        next: answer.headers.get('x-pagination-next'),
      };
    };
    expect(await search({ metadata: { mark } })).toEqual({ ids, total: '5', next: null });
    expect(await search({ metadata: { mark }, limit: 2 })).toEqual({
      ids: ids.slice(0, 2),
      total: '5',
      next: '2',
    });
    expect(await search({ metadata: { mark }, limit: 2, offset: 4 })).toMatchObject({ ids: ids.slice(4) });
    for (const [index, size] of [2.5, null, true, '1', 1].entries()) {
      expect(await search({ metadata: { mark, size } })).toMatchObject({ ids: [ids[index]] });
    }
    expect(await search({ metadata: { mark, missing: null } })).toMatchObject({ ids: [] });
    expect(await search({ metadata: { mark }, sort_by: 'created_at', sort_order: 'asc' })).toMatchObject({
      ids: ids.toReversed(),
    });
    expect(await ada.ok('POST', '/threads/count', { metadata: { mark } })).toBe(5);
    await ada.ok('PATCH', `/threads/${ids[3]}`, { metadata: { touched: true } });
    expect((await search({ metadata: { mark }, limit: 1 })).ids).toEqual([ids[3]]);
  });

  it('shows the title under /api and the state under /api/langgraph', async () => {
    const threadId = await ada.thread();
    const { messages, title } = await ada.wait(threadId, { input: says('hello there') });
    const body = { ids: [threadId] };
    expect(await ada.ok('POST', '/threads/search', body)).toMatchObject([{ values: { title } }]);
    const [found] = await langgraph.ok('POST', '/threads/search', body);
    expect(found.values).toMatchObject({ title, messages });
    const [part] = await langgraph.ok('POST', '/threads/search', {
      ...body,
      select: ['thread_id', 'status'],
      extract: { first: 'values.messages[0].content', last: 'values.messages[-1].type' },
    });
    expect(part).toEqual({
      thread_id: threadId,
      status: 'idle',
      extracted: { first: 'hello there', last: 'ai' },
    });
  });

  it('works by an object or a list that the metadata contain', async () => {
    const mark = `part-${Math.random()}`;
    const made = { mark, owner: { team: 'blue', roles: ['cook', 7], deep: { on: true } }, tags: ['a', 'b'] };
    const threadId = await ada.thread({ metadata: made });
    await ada.thread({ metadata: { mark, owner: { team: 'red' }, tags: [] } });
    const find = async (metadata: object) =>
      idsOf(await ada.ok('POST', '/threads/search', { metadata: { mark, ...metadata } }));
    for (const part of [
      { owner: { team: 'blue' } },
      { owner: { roles: [7] } },
      { owner: { deep: { on: true } }, tags: ['b', 'a'] },
      { owner: { deep: {} } },
    ])
      expect(await find(part)).toEqual([threadId]);
    for (const other of [
      { owner: { team: 'Blue' } },
      { owner: { roles: ['7'] } },
      { tags: ['c'] },
      { owner: [] },
    ])
      expect(await find(other)).toEqual([]);
    expect(await find({ owner: {}, tags: [] })).toHaveLength(2);
    const counted = { metadata: { owner: { team: 'blue' }, mark } };
    expect(await ada.ok('POST', '/threads/count', counted)).toBe(1);
    expect(await server.bob.ok('POST', '/threads/count', counted)).toBe(0);
  });

  it('works by status and by values of the state', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'approval', input: { plan: 'be found' } });
    const found = { values: { plan: 'be found' }, status: 'interrupted' };
    expect(idsOf(await ada.ok('POST', '/threads/search', found))).toEqual([threadId]);
    expect(await ada.ok('POST', '/threads/count', found)).toBe(1);
    expect(await ada.ok('POST', '/threads/search', { ...found, status: 'idle' })).toEqual([]);
  });

  it.each<[object]>([
    [{ metadata: { "a' or 1=1 --": 'x' } }],
    [{ metadata: { 'a.b': 'x' } }],
    [{ metadata: { a: { 'b"c': 1 } } }],
    [{ metadata: { a: [{ b: 1 }] } }],
    [{ metadata: { a: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, at])) } }],
    [{ limit: 0 }],
    [{ limit: 1001 }],
    [{ offset: -1 }],
    [{ status: 'asleep' }],
    [{ sort_by: 'password' }],
    [{ select: ['user_id'] }],
    [{ ids: ['a b'] }],
    [{ metadata: { a: '\0' } }],
  ])('for %j is refused', async (body) => {
    expect((await ada.post('/threads/search', body)).status).toBe(422);
  });

  it.each(["' or '1'='1", '%', '_', '"', '\\', '%_%'])(
    'for the text %j finds exactly that text',
    async (text) => {
      const threadId = await ada.thread({ metadata: { odd: text } });
      expect(idsOf(await ada.ok('POST', '/threads/search', { metadata: { odd: text } }))).toEqual([threadId]);
    },
  );
});

describe('history', () => {
  it('has the messages once under /api, and in every entry under /api/langgraph', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('one') });
    await ada.wait(threadId, { assistant_id: 'chat', input: says('two') });
    const short = await ada.ok('POST', `/threads/${threadId}/history`, {});
    const full = await langgraph.ok('POST', `/threads/${threadId}/history`, {});
    for (const entry of short) {
      expect(entry).toMatchObject({ checkpoint_id: expect.any(String) });
      expect(Object.keys(entry)).not.toEqual(expect.arrayContaining(['checkpoint']));
      expect(Object.keys(entry)).not.toEqual(expect.arrayContaining(['parent_checkpoint']));
    }
    expect(full[0].checkpoint).toMatchObject({ checkpoint_id: short[0].checkpoint_id });
    expect(short.map(({ checkpoint_id }: { checkpoint_id: string }) => checkpoint_id)).toEqual(
      full.map(({ checkpoint_id }: { checkpoint_id: string }) => checkpoint_id),
    );
    expect(short[0].values.messages).toEqual(full[0].values.messages);
    for (const { values, metadata } of short.slice(1)) {
      expect(values).not.toHaveProperty('messages');
      for (const key of ['source', 'writes', 'parents']) expect(metadata).not.toHaveProperty(key);
    }
    for (const { metadata, checkpoint } of full) {
      expect(metadata).toMatchObject({ source: expect.any(String), step: expect.any(Number) });
      expect(checkpoint).toMatchObject({ thread_id: threadId, checkpoint_ns: '' });
    }
    const page = await ada.ok('POST', `/threads/${threadId}/history`, { before: short[0].checkpoint_id });
    expect(page.filter(({ values }: { values: object }) => 'messages' in values)).toEqual([]);
    expect((await ada.post(`/threads/${threadId}/history`, { limit: 1001 })).status).toBe(422);
  });
});

describe('copying', () => {
  it('copies the states and the metadata to a separate thread', async () => {
    const threadId = await ada.thread({ metadata: { topic: 'x' } });
    await ada.wait(threadId, { assistant_id: 'approval', input: { plan: 'copy' } });
    const copy = await ada.ok('POST', `/threads/${threadId}/copy`);
    expect(copy).toMatchObject({
      status: 'interrupted',
      metadata: { topic: 'x', thread_id: copy.thread_id },
    });
    expect(copy.thread_id).not.toBe(threadId);
    const [original, other] = await Promise.all(
      [threadId, copy.thread_id].map((id) => ada.ok('GET', `/threads/${id}/state`)),
    );
    expect(other.values).toEqual(original.values);
    await ada.wait(copy.thread_id, { assistant_id: 'approval', command: { resume: 'yes' } });
    expect(await ada.ok('GET', `/threads/${threadId}/state`)).toEqual(original);
    expect(await ada.ok('GET', `/threads/${copy.thread_id}/runs`)).toHaveLength(1);
  });
});

describe('pruning', () => {
  it('keeps the latest state, or nothing at all', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'steps', input: { name: 'old' } });
    const before = await ada.ok('GET', `/threads/${threadId}/state`);
    const prune = (strategy: string) =>
      ada.ok('POST', '/threads/prune', { thread_ids: [threadId], strategy });
    expect(await prune('keep_latest')).toEqual({ pruned_count: 1 });
    expect(await ada.ok('POST', `/threads/${threadId}/history`, {})).toHaveLength(1);
    expect((await ada.ok('GET', `/threads/${threadId}/state`)).values).toEqual(before.values);
    await ada.wait(threadId, { assistant_id: 'steps', input: { name: 'new' } });
    const foreign = await server.bob.thread();
    const asked = { thread_ids: [threadId, foreign, 'unknown'], strategy: 'delete' };
    expect(await ada.ok('POST', '/threads/prune', asked)).toEqual({ pruned_count: 1 });
    expect((await server.bob.get(`/threads/${foreign}`)).status).toBe(200);
    expect((await ada.get(`/threads/${threadId}`)).status).toBe(404);
  });
});

describe('deleting', () => {
  it('leaves nothing, and the id is never usable again', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('x') });
    expect(await ada.ok('DELETE', `/threads/${threadId}`)).toEqual({
      success: true,
      message: `Deleted local thread data for ${threadId}`,
    });
    for (const caller of [ada, langgraph, server.bob]) {
      expect((await caller.call('DELETE', `/threads/${threadId}`)).status).toBe(404);
      expect((await caller.post('/threads', { thread_id: threadId })).status).toBe(404);
    }
    const { read } = server.gateway.context.database;
    const tables = ['threads', 'thread_metadata', 'thread_snapshots', 'runs', 'run_events', 'feedback'];
    for (const table of [...tables, 'checkpoints', 'checkpoint_writes', 'checkpoint_values']) {
      const rows = await read
        .selectFrom(table as never)
        .selectAll()
        .where('thread_id' as never, '=', threadId as never)
        .execute();
      expect(rows, table).toEqual([]);
    }
  });
});
