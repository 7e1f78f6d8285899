import { fileURLToPath } from 'node:url';
import { Client } from '@langchain/langgraph-sdk';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { accountChanger, askedAbout, newName } from './support/custom-callers.ts';

const folderOf = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}/`, import.meta.url));
let gateway: DevGateway;
let other: DevGateway;
let guarded: DevGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  const agentsFolder = folderOf('own-client');
  gateway = await startGateway({ agentsFolder });
  other = await startGateway({ agentsFolder });
  guarded = await startGateway({ agentsFolder: folderOf('own-client-auth') });
  ada = await memberOf(gateway, 'ada');
  bob = await memberOf(gateway, 'bob');
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await gateway.stop();
  await other.stop();
  await guarded.stop();
});

async function memberOf({ url, register }: DevGateway, name: string): Promise<ConversationCaller> {
  return (await ConversationCaller.of(url, await register(`${name}@example.com`))).at('/api/langgraph');
}

/** Has the graph do one of the fixture's jobs and returns the values of its run. */
async function runOf(caller: ConversationCaller, job: string, detail = '') {
  return caller.wait(await caller.thread(), { assistant_id: 'caller', input: { job, detail } });
}

async function resultOf(caller: ConversationCaller, job: string, detail = '') {
  return (await runOf(caller, job, detail)).result;
}

/** Has the operator's app do one of the fixture's jobs. */
async function routeOf(caller: ConversationCaller, job: string, detail = '') {
  return (await caller.get(`/do/${encodeURIComponent(job)}?detail=${encodeURIComponent(detail)}`)).body;
}

describe('a client without an address in a graph', () => {
  it('starts a background run of another graph, for the user of the run', async () => {
    const { thread_id, run_id } = await resultOf(ada, 'schedule', 'tea');

    const run = await ada.ended(thread_id, run_id);
    expect(run.status).toBe('success');
    const { values } = await ada.ok('GET', `/threads/${thread_id}/state`);
    expect(values).toEqual({ text: 'tea', by: ada.userId });
    expect((await bob.get(`/threads/${thread_id}`)).status).toBe(404);
  });

  it.each(['values', 'events'])(
    'works in nodes, tools and graphs inside graphs: mode %s',
    async (stream_mode) => {
      const caller = await memberOf(gateway, `places-${stream_mode}`);
      await caller.wait(await caller.thread(), { assistant_id: 'places', input: {}, stream_mode });

      const threads = await caller.ok('POST', '/threads/search', {
        sort_by: 'created_at',
        sort_order: 'asc',
      });
      const places = threads.map(({ metadata }: { metadata: { place?: string } }) => metadata.place);
      expect(places.filter(Boolean)).toEqual(['node', 'tool', 'inner graph', 'last node']);
    },
  );

  it('streams, waits, and reaches the items of its user', async () => {
    const events = (await resultOf(ada, 'stream', 'tea')) as { event: string; data: unknown }[];
    expect(events.at(0)?.event).toBe('metadata');
    expect(events.at(-1)).toMatchObject({ event: 'values', data: { text: 'tea', by: ada.userId } });

    expect(await resultOf(ada, 'wait', 'milk')).toEqual({ text: 'milk', by: ada.userId });
    expect(await resultOf(ada, 'keep', 'honey')).toMatchObject({ value: { text: 'honey' } });
    const items = { namespace_prefix: ['notes'] };
    expect((await ada.ok('POST', '/store/items/search', items)).items).toHaveLength(1);
    expect((await bob.ok('POST', '/store/items/search', items)).items).toEqual([]);
  });

  it('works for the user of each call, when users share a client whose queue is full', async () => {
    const callers = [ada, bob, await memberOf(gateway, 'eve')];
    const made = await Promise.all(callers.map((caller) => resultOf(caller, 'many', '12')));

    for (const [index, caller] of callers.entries()) {
      const ids = made[index] as string[];
      const found = await caller.ok('POST', '/threads/search', { ids, limit: 100 });
      expect(found).toHaveLength(ids.length);
    }
  });

  it('gets no answer of another user who reads the same at the same moment', async () => {
    const threadId = await ada.thread({ metadata: {} });
    const [own, foreign] = await Promise.all([
      routeOf(ada, 'state', threadId),
      routeOf(bob, 'state', threadId),
    ]);

    expect(own).toMatchObject({ next: [] });
    expect(foreign.error).toContain('404');
  });

  it('reaches the gateway that runs it, when there are two in the process', async () => {
    const here = await resultOf(ada, 'schedule');
    const there = await memberOf(other, 'ada');
    const elsewhere = await resultOf(there, 'schedule');

    expect((await ada.get(`/threads/${here.thread_id}`)).status).toBe(200);
    expect((await there.get(`/threads/${elsewhere.thread_id}`)).status).toBe(200);
    expect((await ada.get(`/threads/${elsewhere.thread_id}`)).status).toBe(404);
  });
});

describe('a client without an address in an own route', () => {
  it('streams a run for the user who calls', async () => {
    const events = await routeOf(ada, 'stream', 'tea');
    expect(events.at(-1)).toMatchObject({ event: 'values', data: { text: 'tea', by: ada.userId } });
  });

  it('works as long as the body is read', async () => {
    const { text } = await ada.get('/lines?detail=200');
    const ids = text.trim().split('\n');

    expect(ids).toHaveLength(200);
    for (const id of [ids.at(0), ids.at(-1)]) expect((await ada.get(`/threads/${id}`)).status).toBe(200);
  });

  it('may not write for a caller who may only read', async () => {
    const session = await gateway.register('reader@example.com');
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'reader',
      scopes: ['conversation:read'],
    });
    const reader = ConversationCaller.withKey(gateway.url, token);

    expect((await routeOf(reader, 'schedule')).error).toContain('lacks the scope conversation:write');
  });

  it('works for the user of a run whose end the route is told', async () => {
    const threadId = await ada.thread();
    await ada.run(threadId, { assistant_id: 'memory', input: {}, webhook: `/told?detail=${threadId}` });

    const search = () => ada.ok('POST', '/threads/search', { metadata: { told: threadId } });
    await expect.poll(search).toHaveLength(1);
  });
});

describe('the credential of such a client', () => {
  it('is not an API key of LangSmith from the environment', async () => {
    vi.stubEnv('LANGGRAPH_API_KEY', 'lsv2_pt_of_langsmith');
    const { thread_id } = await resultOf(ada, 'schedule');
    expect((await ada.get(`/threads/${thread_id}`)).status).toBe(200);
    const { token } = bob;
    expect(await bob.get(`/threads/${(await resultOf(ada, 'forward', token)).thread_id}`)).toMatchObject({
      status: 200,
    });
  });

  it.each(['forward', 'key'])('is the one that the code gives it: %s', async (job) => {
    const { thread_id } = await resultOf(ada, job, bob.token);

    expect((await bob.get(`/threads/${thread_id}`)).status).toBe(200);
    expect((await ada.get(`/threads/${thread_id}`)).status).toBe(404);
    expect((await routeOf(ada, job, 'sy_pat_unknown')).error).toContain('401');
  });

  it('ends with the run', async () => {
    await runOf(ada, 'postpone');
    const { error } = await routeOf(bob, 'postponed');

    expect(error).toBe('The run or the request for which this client works has ended.');
  });

  it('is not there outside a run or a route', async () => {
    await expect(new Client().threads.search()).rejects.toThrow(
      'new Client() without an address works inside a run of a graph and inside a route of http.app. ' +
        'Elsewhere give it apiUrl and apiKey.',
    );
  });
});

describe('a ticket of own code', () => {
  const scopes = ['conversation:read', 'conversation:write'] as const;
  const ticketOf = (userId: string, { context } = gateway): string =>
    context.accounts.callTickets.make({ userId, custom: null, scopes });
  const asking = (path: string, headers: Record<string, string>, method = 'GET') =>
    gateway.fetch(path, { method, headers });

  it('is good for one call', async () => {
    const threadId = await ada.thread();
    const authorization = `Bearer ${ticketOf(ada.userId)}`;
    const path = `/api/langgraph/threads/${threadId}`;

    expect((await asking(path, { authorization })).status).toBe(200);
    expect((await asking(path, { authorization })).status).toBe(401);
    expect((await asking(path, { authorization: 'Bearer sy_run_unknown' })).status).toBe(401);
  });

  it.each([
    ['GET', '/api/v1/auth/me'],
    ['GET', '/api/v1/users'],
    ['POST', '/api/v1/auth/tokens'],
    ['POST', '/api/threads/search'],
    ['GET', '/api/tasks'],
    ['GET', '/api/unknown'],
  ])('opens nothing outside the mount of LangGraph: %s %s', async (method, path) => {
    const answer = await asking(path, { authorization: `Bearer ${ticketOf(ada.userId)}` }, method);
    expect(answer.status).toBe(401);
  });

  it('is refused once the account is disabled, and a stream that it opened ends', async () => {
    const gone = await memberOf(gateway, 'gone');
    const threadId = await gone.thread();
    const open = await asking(`/api/langgraph/threads/${threadId}/stream`, {
      authorization: `Bearer ${ticketOf(gone.userId)}`,
    });
    expect(open.status).toBe(200);
    const cutOff = expect(open.text()).rejects.toThrow('terminated');
    const late = ticketOf(gone.userId);
    const change = await accountChanger(gateway);
    expect((await change(gone.userId, 'PATCH', { body: { disabled: true } })).status).toBe(200);

    await cutOff;
    const { status } = await asking(`/api/langgraph/threads/${threadId}`, {
      authorization: `Bearer ${late}`,
    });
    expect(status).toBe(401);
  });

  it('never reaches the authentication of the operator', async () => {
    const before = await askedAbout(guarded.url, 'sy_run_unknown');
    for (const headers of [
      { authorization: 'Bearer sy_run_unknown' },
      { authorization: 'sy_run_unknown' },
      { 'x-api-key': 'sy_run_unknown' },
    ] as Record<string, string>[]) {
      expect((await guarded.fetch('/api/langgraph/threads/x', { headers })).status).toBe(401);
    }
    expect(await askedAbout(guarded.url, 'sy_run_unknown')).toEqual(before);
    expect(before).toEqual([]);
  });
});

describe('a client without an address, beside an authentication of the operator', () => {
  it.each([
    ['a graph', resultOf],
    ['a route', routeOf],
  ] as const)('is asked about as the caller of %s', async (_name, act) => {
    const name = newName();
    const caller = ConversationCaller.withKey(guarded.url, `${name}@x`);
    const { thread_id, run_id } = await act(caller, 'schedule', 'tea');

    const events = await askedAbout(guarded.url, name);
    expect(events.slice(-2)).toEqual(['threads:create', 'threads:create_run']);
    expect((await caller.ended(thread_id, run_id)).metadata).toMatchObject({ project: 'x' });
    const { values } = await caller.ok('GET', `/threads/${thread_id}/state`);
    expect(values).toEqual({ text: 'tea', by: name });
    const elsewhere = ConversationCaller.withKey(guarded.url, `${name}@y`);
    expect((await elsewhere.get(`/threads/${thread_id}`)).status).toBe(404);
  });

  it('is refused what the handlers refuse its user', async () => {
    const caller = ConversationCaller.withKey(guarded.url, newName());
    expect((await routeOf(caller, 'schedule', 'forbidden')).error).toContain('403');
  });

  it('carries the identity into the app that is told the end of a run', async () => {
    const name = newName();
    const caller = ConversationCaller.withKey(guarded.url, `${name}@x`);
    const threadId = await caller.thread();
    await caller.run(threadId, { assistant_id: 'memory', input: {}, webhook: `/told?detail=${threadId}` });

    const search = () => caller.ok('POST', '/threads/search', { metadata: { told: threadId, project: 'x' } });
    await expect.poll(search).toHaveLength(1);
  });

  it('asks authenticate about the caller alone', async () => {
    const name = newName();
    const caller = ConversationCaller.withKey(guarded.url, name);
    await routeOf(caller, 'schedule');

    expect(await askedAbout(guarded.url, name)).toEqual([
      'authenticate GET /do/schedule',
      'threads:create',
      'threads:create_run',
    ]);
  });
});
