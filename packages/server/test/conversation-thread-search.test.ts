import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
/** Oldest first. */
const made: string[] = [];

beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
  for (let at = 0; at < 15; at += 1) {
    const metadata = { all: 'x', n: at, even: at % 2 === 0, ...(at === 3 && { none: null }) };
    made.push(await ada.thread({ metadata }));
  }
  await bob.thread({ metadata: { all: 'x' } });
});
afterAll(() => server.close());

const ids = (threads: { thread_id: string }[]) => threads.map(({ thread_id }) => thread_id);
const newestFirst = () => [...made].reverse();

describe('a search', () => {
  it('lists the caller’s threads, the last changed first, and says how many there are', async () => {
    const { body, headers } = await ada.post('/threads/search', {});
    expect(ids(body)).toEqual(newestFirst());
    expect(headers.get('x-pagination-total')).toBe('15');
    expect(headers.get('x-pagination-next')).toBeNull();
  });

  it('has ten on a page for LangGraph clients, and says where the next page begins', async () => {
    const platform = ada.at('/api/langgraph');
    const first = await platform.post('/threads/search', {});
    expect(ids(first.body)).toEqual(newestFirst().slice(0, 10));
    expect(first.headers.get('x-pagination-next')).toBe('10');
    const second = await platform.post('/threads/search', { offset: 10 });
    expect(ids(second.body)).toEqual(newestFirst().slice(10));
    expect(second.headers.get('x-pagination-next')).toBeNull();
  });

  it.each([
    [{ n: 3 }, [3]],
    [{ n: '3' }, []],
    [{ none: null }, [3]],
    [{ even: true, all: 'x' }, [14, 12, 10, 8, 6, 4, 2, 0]],
    [{ even: 1 }, []],
    [{ even: true, n: 3 }, []],
    [{ colour: 'red' }, []],
  ])('by the metadata %j finds exactly the threads that have it', async (metadata, places) => {
    const wanted = places.map((at) => made[at]);
    expect(ids(await ada.ok('POST', '/threads/search', { metadata }))).toEqual(wanted);
    expect(await ada.ok('POST', '/threads/count', { metadata })).toBe(wanted.length);
  });

  it('sorts by the requested field', async () => {
    const sorted = await ada.ok('POST', '/threads/search', { sort_by: 'created_at', sort_order: 'asc' });
    expect(ids(sorted)).toEqual(made);
    const byId = await ada.ok('POST', '/threads/search', { sort_by: 'thread_id', sort_order: 'asc' });
    expect(ids(byId)).toEqual([...made].sort());
  });

  it('returns the selected fields', async () => {
    const select = ['thread_id', 'metadata'];
    const [thread] = await ada.ok('POST', '/threads/search', { select, metadata: { n: 5 } });
    expect(Object.keys(thread).sort()).toEqual(['metadata', 'thread_id']);
  });

  it('by ids finds only the caller’s own threads', async () => {
    const foreign = await bob.thread();
    const found = await ada.ok('POST', '/threads/search', { ids: [made[2], foreign, 'nowhere', made[4]] });
    expect(ids(found)).toEqual([made[4], made[2]]);
  });

  it.each([
    ['a list of objects', { metadata: { a: [{ b: 1 }] } }, ['body', 'metadata', 'a']],
    ['a key with a dot', { metadata: { 'a.b': 1 } }, ['body', 'metadata']],
    ['a long value', { metadata: { a: 'x'.repeat(2000) } }, ['body', 'metadata', 'a']],
    ['a long page', { limit: 1001 }, ['body', 'limit']],
    ['no page', { limit: 0 }, ['body', 'limit']],
    ['a place before the first', { offset: -1 }, ['body', 'offset']],
    ['an unknown status', { status: 'running' }, ['body', 'status']],
    ['an unknown order', { sort_by: 'colour' }, ['body', 'sort_by']],
    ['an unknown field', { select: ['user_id'] }, ['body', 'select', 0]],
    ['a path that is none', { extract: { a: 'values..x' } }, ['body', 'extract', 'a']],
  ])('with %s is refused at its place', async (_name, body, loc) => {
    const answer = await ada.post('/threads/search', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc.slice(0, loc.length)).toEqual(loc);
  });
});

describe('a search after a run', () => {
  let threadId: string;
  beforeAll(async () => {
    threadId = await ada.thread();
    await ada.wait(threadId, { input: says('hi') });
    await ada.ok('POST', `/threads/${threadId}/state`, { values: { title: 'A walk' } });
  });

  it('finds it by its graph, with only the title under /api', async () => {
    const [thread] = await ada.ok('POST', '/threads/search', { metadata: { graph_id: 'lead_agent' } });
    expect(thread).toMatchObject({ thread_id: threadId, status: 'idle', values: { title: 'A walk' } });
    expect(Object.keys(thread.values)).toEqual(['title']);
  });

  it('shows LangGraph clients the whole state', async () => {
    const requested = { metadata: { graph_id: 'lead_agent' } };
    const [thread] = await ada.at('/api/langgraph').ok('POST', '/threads/search', requested);
    expect(thread.values.messages[0]).toMatchObject({ type: 'human', content: 'hi' });
    expect(thread.interrupts).toEqual({});
  });

  it('extracts the requested values, at both mounts', async () => {
    const extract = {
      first: 'values.messages[0].content',
      last: 'values.messages[-1].type',
      no: 'values.x[9].y',
    };
    for (const mount of ['/api', '/api/langgraph'] as const) {
      const requested = { ids: [threadId], extract, select: ['thread_id'] };
      expect(await ada.at(mount).ok('POST', '/threads/search', requested)).toEqual([
        { thread_id: threadId, extracted: { first: 'hi', last: 'ai', no: null } },
      ]);
    }
  });

  it('filters by values of the state and by status', async () => {
    const found = await ada.ok('POST', '/threads/search', { values: { title: 'A walk' }, status: 'idle' });
    expect(ids(found)).toEqual([threadId]);
    expect(await ada.ok('POST', '/threads/count', { values: { title: 'a walk' } })).toBe(0);
    expect(await ada.ok('POST', '/threads/count', { status: 'busy' })).toBe(0);
  });
});
