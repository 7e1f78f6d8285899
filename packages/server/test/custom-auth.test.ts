import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { customAuthGateway } from './support/custom-auth-gateway.ts';
import { newName } from './support/custom-callers.ts';

const { running, as, projects, askedAbout, accountChanger } = customAuthGateway();

describe('authenticate of langgraph.json', () => {
  it('lets a caller in under an account of their own, which stays the same', async () => {
    const [first, second] = [newName(), newName()];
    const user = (await as(first).get('/who')).body.user;

    expect(user).toMatch(/^[0-9a-f-]{36}$/);
    expect((await as(first).get('/who')).body.user).toBe(user);
    expect((await as(second).get('/who')).body.user).not.toBe(user);
  });

  it('is called once for each request, with the path below the mount', async () => {
    const name = newName();
    const { body } = await as(name).post('/threads');
    await as(name).post(`/threads/${body.thread_id}/runs/wait`, { assistant_id: 'whoami', input: {} });

    expect(await askedAbout(name)).toEqual([
      'authenticate POST /threads',
      'threads:create',
      `authenticate POST /threads/${body.thread_id}/runs/wait`,
      'threads:create_run',
    ]);
  });

  it('reads the path of a prefix that is spelled with escapes', async () => {
    const name = newName();
    const answer = await fetch(`${running().url}/%61pi/langgraph/threads/${randomUUID()}`, {
      headers: { 'x-api-key': name },
    });

    expect(answer.status).toBe(404);
    expect((await askedAbout(name))[0]).toMatch(/^authenticate GET \/threads\/[0-9a-f-]{36}$/);
  });

  it('is not asked about TRACE, which no route has', async () => {
    const name = newName();
    const call = request(`${running().url}/api/langgraph/threads`, {
      method: 'TRACE',
      headers: { 'x-api-key': name },
    }).end();
    const [{ statusCode }] = (await once(call, 'response')) as [{ statusCode: number }];

    expect(statusCode).toBe(405);
    expect(await askedAbout(name)).toEqual([]);
  });

  it("lets a caller in at the root of the operator's app as well", async () => {
    const name = newName();

    expect((await as(name).get('/')).body.user).toMatch(/^[0-9a-f-]{36}$/);
    expect(await askedAbout(name)).toEqual(['authenticate GET /']);
  });

  it('makes one account for an identity whose first requests come at the same moment', async () => {
    const name = newName();
    const answers = await Promise.all(Array.from({ length: 8 }, () => as(name).get('/who')));

    expect(new Set(answers.map(({ body }) => body.user)).size).toBe(1);
  });

  it('keeps what two identities have apart', async () => {
    const [ada, bob] = [as(newName()), as(newName())];
    const threadId = await ada.thread({ metadata: { topic: 'secret' } });
    const run = await ada.run(threadId, { assistant_id: 'whoami', input: {} });
    await ada.ok('PUT', '/store/items', { namespace: ['notes'], key: 'one', value: { a: 1 } });
    const assistant = await ada.ok('POST', '/assistants', { graph_id: 'whoami', name: 'mine' });

    for (const [method, path, body] of [
      ['GET', `/threads/${threadId}`],
      ['PATCH', `/threads/${threadId}`, { metadata: { a: 1 } }],
      ['DELETE', `/threads/${threadId}`],
      ['GET', `/threads/${threadId}/state`],
      ['POST', `/threads/${threadId}/history`, {}],
      ['POST', `/threads/${threadId}/runs`, { assistant_id: 'whoami', if_not_exists: 'create' }],
      ['GET', `/threads/${threadId}/runs/${run.run_id}`],
      ['POST', `/threads/${threadId}/runs/${run.run_id}/cancel`, {}],
      ['GET', `/runs/${run.run_id}/stream`],
      ['POST', `/threads/${threadId}/copy`, {}],
      ['GET', `/assistants/${assistant.assistant_id}`],
    ] as const) {
      const answer = await bob.call(method, path, body && { body });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
    }
    expect((await bob.post('/threads/search')).body).toEqual([]);
    expect((await bob.post('/threads/count')).body).toBe(0);
    expect((await bob.get('/store/items?namespace=notes&key=one')).body).toBeNull();
    expect((await bob.post('/store/items/search', { namespace_prefix: [] })).body).toEqual({ items: [] });
    expect((await ada.get(`/threads/${threadId}`)).body.metadata.topic).toBe('secret');
  });

  it.each([
    ['unknown-key', 401, 'This key is unknown'],
    ['blocked-key', 403, 'This key is blocked'],
    ['stranger-key', 401, 'Not authenticated'],
  ])('refuses with the status that it throws: %s answers %i', async (key, status, message) => {
    const answer = await as(key).get('/threads/x');

    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ detail: message });
  });

  it('sends the headers of what it throws, and none that are the gateway’s', async () => {
    const { headers } = await as('unknown-key').get('/threads/x');

    expect(headers.get('www-authenticate')).toBe('Bearer realm="own"');
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('x-request-id')).not.toBe('forged');
  });

  it.each([
    'failing-key',
    'foreign-status-key',
    'number-key',
    'nothing-key',
    'nameless-key',
    'long-key',
    'null-key',
    'permission-key',
    'large-key',
  ])('answers 500 when it fails or says nothing that can be used: %s', async (key) => {
    const answer = await as(key).post('/threads');

    expect(answer.status).toBe(500);
    expect(answer.text).toContain("The gateway's log says why");
    expect(answer.text).not.toContain(key);
  });

  it('may name the caller with a text alone', async () => {
    expect((await as('text-key').post('/threads')).status).toBe(200);
  });

  it('counts at the Platform mount alone', async () => {
    const name = newName();
    const headers = { 'x-api-key': name };
    for (const path of ['/api/threads/search', '/api/v1/auth/me', '/api/instances', '/api/models']) {
      const method = path.endsWith('search') ? 'POST' : 'GET';
      expect((await running().fetch(path, { method, headers })).status).toBe(401);
    }
    expect(await askedAbout(name)).toEqual([]);
  });

  it('is not asked about callers with a credential of the gateway, who are not held to its handlers', async () => {
    const session = await running().register('member@example.com');
    const member = (await ConversationCaller.of(running().url, session)).at('/api/langgraph');
    const threadId = await member.thread();

    expect((await member.get(`/threads/${threadId}`)).body.metadata).toEqual({});
    expect(await askedAbout(member.token)).toEqual([]);
    const headers = { cookie: session.cookieHeader };
    expect((await running().fetch(`/api/langgraph/threads/${threadId}`, { headers })).status).toBe(200);
  });

  it('does not open what a wrong token of the gateway does not open', async () => {
    const wrong = `sy_pat_${'x'.repeat(43)}`;
    for (const headers of [
      { 'x-api-key': wrong },
      { authorization: `Bearer ${wrong}` },
      { authorization: wrong },
    ])
      expect((await running().fetch('/api/langgraph/who', { headers })).status).toBe(401);
    expect(await askedAbout(wrong)).toEqual([]);
  });

  it('is not asked for a page of another site that uses the cookies of its visitor', async () => {
    const headers = {
      cookie: `key=${newName()}`,
      origin: 'https://evil.example',
      'content-type': 'text/plain',
    };
    const answer = await running().fetch('/api/langgraph/threads', { method: 'POST', headers, body: '{}' });

    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('Cross-site');
  });
});

describe('an authentication that cannot be loaded', () => {
  let faulty: DevGateway;
  beforeAll(async () => {
    const folder = fileURLToPath(new URL('./fixtures/custom-auth-faulty/', import.meta.url));
    faulty = await startGateway({ agentsFolder: folder });
  });
  afterAll(() => faulty.stop());

  it('is told at the start with its file and its line', async () => {
    expect(await faulty.context.conversation?.ownAgents()).toContainEqual({
      name: 'auth',
      fault: expect.stringContaining(
        'auth.ts:4: `auth` is an object of class Auth; give it an authenticate handler',
      ),
    });
  });

  it('lets no one in, and leaves callers with a credential of the gateway alone', async () => {
    const stranger = ConversationCaller.withKey(faulty.url, newName());
    expect((await stranger.post('/threads')).status).toBe(500);
    expect((await stranger.get('/info')).status).toBe(200);

    const session = await faulty.register('member@example.com');
    const member = (await ConversationCaller.of(faulty.url, session)).at('/api/langgraph');
    expect((await member.post('/threads')).status).toBe(200);
  });
});

describe('the account of an identity', () => {
  it('has no password, is never an administrator, and can be disabled and deleted', async () => {
    const name = newName();
    const caller = as(name);
    const threadId = await caller.thread();
    const userId = (await caller.get('/who')).body.user;
    const send = await accountChanger();
    const change = (body: object) => send(userId, 'PATCH', { body });

    expect((await change({ system_role: 'admin' })).status).toBe(409);
    expect((await send(userId, 'POST', { path: '/reset-password' })).status).toBe(409);

    const stream = await caller.open('GET', `/threads/${threadId}/stream`);
    expect((await change({ disabled: true })).status).toBe(200);
    await stream.rest().catch(() => undefined); // The connection ends together with the account.
    expect((await caller.get(`/threads/${threadId}`)).status).toBe(401);
    expect((await change({ disabled: false })).status).toBe(200);
    expect((await caller.get(`/threads/${threadId}`)).status).toBe(200);

    expect((await send(userId, 'DELETE')).status).toBe(200);
    expect((await caller.get('/who')).body.user).not.toBe(userId);
    expect((await caller.get(`/threads/${threadId}`)).status).toBe(404);
  });
});

describe('a run of an identity', () => {
  const seen = (name: string) => ({
    user: {
      identity: name,
      display_name: name,
      is_authenticated: true,
      permissions: ['paint'],
      teams: ['blue'],
    },
    id: name,
    permissions: ['paint'],
  });

  it('tells its graph what the handler returned, and no client can say something else', async () => {
    const name = newName();
    const caller = as(name);
    const forged = { langgraph_auth_user: { identity: 'root' }, langgraph_auth_user_id: 'root' };
    const body = { assistant_id: 'whoami', input: {}, config: { configurable: forged } };
    const threadId = await caller.thread();

    expect((await caller.wait(threadId, body)).seen).toEqual([seen(name), seen(name)]);
    const [run] = (await caller.get(`/threads/${threadId}/runs`)).body;
    expect(JSON.stringify((await caller.get(`/threads/${threadId}/runs/${run.run_id}`)).body)).not.toContain(
      'teams',
    );
  });

  it('tells each run of an interrupted thread who has started that run', async () => {
    const name = newName();
    const caller = as(name);
    const threadId = await caller.thread();
    await caller.wait(threadId, { assistant_id: 'whoami', input: { question: 'sure?' } });
    expect((await caller.get(`/threads/${threadId}/state`)).body.next).toEqual(['ask']);
    const done = await caller.wait(threadId, { assistant_id: 'whoami', command: { resume: 'yes' } });

    expect(done).toEqual({ question: 'yes', seen: [seen(name), seen(name)] });
  });

  it('is told to the function that makes a graph, when it runs and when its state is read', async () => {
    const name = newName();
    const caller = as(name);
    const threadId = await caller.thread();
    await caller.wait(threadId, { assistant_id: 'made', input: { answer: '' } });

    expect((await caller.get(`/threads/${threadId}/state`)).body.next).toEqual([`for_${name}`]);
    const done = await caller.wait(threadId, { assistant_id: 'made', command: { resume: 'yes' } });
    expect(done).toEqual({ answer: 'yes' });
  });

  it('that name no assistant are asked about with that of their thread', async () => {
    const caller = as(newName());
    const threadId = await caller.thread({ assistant_id: 'forbidden' });
    expect((await caller.post(`/threads/${threadId}/runs`, { input: {} })).status).toBe(403);
  });

  it('can be started without a thread, with a command, and in a batch, and always asks its handler', async () => {
    const name = newName();
    const caller = as(`${name}@x`);
    const body = { assistant_id: 'whoami', input: {}, on_completion: 'keep' };
    await caller.ok('POST', '/runs/wait', body);
    await caller.ok('POST', '/runs/batch', [body, body]);
    const threadId = randomUUID();
    const command = { id: 1, method: 'run.start', params: { assistant_id: 'whoami', input: {} } };
    expect((await caller.ok('POST', `/threads/${threadId}/commands`, command)).type).toBe('success');

    const asked = (await askedAbout(name)).filter((kind) => kind === 'threads:create_run');
    expect(asked).toHaveLength(4);
    const found = (await caller.post('/threads/search')).body;
    expect(found).toHaveLength(4);
    for (const { metadata } of found)
      expect(metadata).toMatchObject({ project: 'x', stamped: 'threads:create_run' });
  });
});

describe('the routes of the Platform mount', () => {
  it('are closed to an identity unless the handlers are asked about them', async () => {
    const description = await (await running().fetch('/openapi.json')).json();
    const { paths } = description as { paths: Record<string, object> };
    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      path.startsWith('/api/langgraph/') && !/[/](info|ok)$/.test(path)
        ? Object.keys(methods).map(
            (method) => `${method.toUpperCase()} ${path.replace(/[{](\w+)[}]/g, ':$1')}`,
          )
        : [],
    );
    const user = { identity: 'ada', display_name: 'ada', is_authenticated: true, permissions: [] };
    const rest = {
      isRest: false,
      user,
      owner: { user: 'ada' },
      headers: {},
      params: {},
      query: {},
      body: {},
    };
    const closed: string[] = [];
    for (const endpoint of endpoints) {
      const refused = await running()
        .context.conversation?.customAuth?.decide({ ...rest, endpoint })
        .catch((error: unknown) => (error as { code?: string }).code);
      if (refused === 'custom_auth_unserved') closed.push(endpoint.replace('/api/langgraph', ''));
    }

    expect(endpoints.length).toBeGreaterThan(60);
    expect(closed).toEqual([]);
    const made = { ...rest, endpoint: 'GET /api/langgraph/made-tomorrow' };
    await expect(running().context.conversation?.customAuth?.decide(made)).rejects.toMatchObject({
      code: 'custom_auth_unserved',
    });
  });
});

describe('on handlers of langgraph.json', () => {
  it('decide which metadata are stored with a thread', async () => {
    const { own } = projects();
    const made = await own.ok('POST', '/threads', { metadata: { a: 1, project: 'y' } });
    expect(made.metadata).toEqual({ a: 1, project: 'x', stamped: 'threads:create' });

    const changed = await own.ok('PATCH', `/threads/${made.thread_id}`, { metadata: { project: 'y' } });
    expect(changed.metadata).toEqual({ a: 1, project: 'x', stamped: 'threads:update' });
    const copy = await own.ok('POST', `/threads/${made.thread_id}/copy`, {});
    expect(copy.metadata).toMatchObject({ a: 1, project: 'x', stamped: 'threads:create' });
  });

  it('narrow what is found and counted', async () => {
    const { whole, own, other } = projects();
    const threadId = await own.thread();
    await whole.thread({ metadata: { project: 'z' } });
    const ids = async (caller: ConversationCaller, body = {}) =>
      (await caller.post('/threads/search', body)).body.map(
        (thread: { thread_id: string }) => thread.thread_id,
      );

    expect(await ids(own)).toEqual([threadId]);
    expect(await ids(other)).toEqual([]);
    expect(await ids(own, { metadata: { stamped: 'threads:create' } })).toEqual([threadId]);
    expect(await ids(own, { metadata: { project: 'z' } })).toEqual([]);
    expect(await ids(own, { metadata: { project: { a: 1 } } })).toEqual([]);
    expect((await own.post('/threads/count')).body).toBe(1);
    expect((await own.post('/threads/count', { metadata: { project: 'z' } })).body).toBe(0);
    expect((await other.post('/threads/count')).body).toBe(0);
    expect((await whole.post('/threads/count')).body).toBe(2);
  });

  it('hide a thread from everything that reads or changes it', async () => {
    const { whole, own, other } = projects();
    const threadId = await own.thread();
    const { run_id: runId } = await own.run(threadId, { assistant_id: 'whoami', input: {} });
    await own.ended(threadId, runId);
    const thread = `/threads/${threadId}`;
    const run = `${thread}/runs/${runId}`;
    const start = { assistant_id: 'whoami', input: {} };

    for (const [method, path, body] of [
      ['POST', '/threads', { thread_id: threadId, if_exists: 'do_nothing' }],
      ['GET', thread],
      ['PATCH', thread, { metadata: { project: 'y' } }],
      ['PATCH', `${thread}/state`, { metadata: { project: 'y' } }],
      ['DELETE', thread],
      ['POST', `${thread}/copy`, {}],
      ['GET', `${thread}/state`],
      ['POST', `${thread}/state`, { values: { question: '' } }],
      ['POST', `${thread}/state/checkpoint`, { checkpoint: {} }],
      ['GET', `${thread}/history`],
      ['POST', `${thread}/history`, {}],
      ['GET', `${thread}/stream`],
      ['GET', `${thread}/messages`],
      ['GET', `${thread}/token-usage`],
      ['GET', `${thread}/runs`],
      ['POST', `${thread}/runs`, start],
      ['POST', `${thread}/runs`, { ...start, if_not_exists: 'create' }],
      ['POST', `${thread}/runs/stream`, start],
      ['POST', `${thread}/runs/wait`, start],
      ['GET', run],
      ['DELETE', run],
      ['GET', `${run}/join`],
      ['GET', `${run}/stream`],
      ['POST', `${run}/stream`, {}],
      ['POST', `${run}/cancel`, {}],
      ['GET', `${run}/events`],
      ['GET', `${run}/messages`],
      ['GET', `${run}/timeline`],
      ['GET', `${run}/why`],
      ['GET', `${run}/feedback`],
      ['PUT', `${run}/feedback`, { rating: 1 }],
      ['GET', `/runs/${runId}/stream`],
      ['GET', `/runs/${runId}/messages`],
      ['GET', `/runs/${runId}/feedback`],
      ['POST', '/runs/wait', { ...start, config: { configurable: { thread_id: threadId } } }],
      ['POST', '/runs/batch', [{ ...start, config: { configurable: { thread_id: threadId } } }]],
      ['POST', '/runs/cancel', { thread_id: threadId }],
      ['POST', '/runs/cancel', { run_ids: [runId] }],
      [
        'POST',
        `${thread}/commands`,
        { id: 1, method: 'run.start', params: { assistant_id: 'whoami', input: {} } },
      ],
      ['POST', `${thread}/commands`, { id: 1, method: 'state.get', params: {} }],
      ['POST', `${thread}/stream/events`, { channels: ['values'] }],
    ] as const) {
      const answer = await other.call(method, path, body && { body });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
    }
    expect((await other.post('/threads/prune', { thread_ids: [threadId] })).body).toEqual({
      pruned_count: 0,
    });
    expect((await other.post('/runs/cancel', { status: 'all' })).status).toBe(403);

    expect((await whole.get(thread)).body.metadata.project).toBe('x');
    expect((await whole.get(`${thread}/runs`)).body).toHaveLength(1);
    expect((await own.post('/threads/prune', { thread_ids: [threadId] })).body).toEqual({ pruned_count: 1 });
  });

  it('leave what passes their filter as it is', async () => {
    const { own } = projects();
    const threadId = await own.thread();
    await own.wait(threadId, { assistant_id: 'whoami', input: {} });

    expect((await own.get(`/threads/${threadId}/state`)).body.values.seen).toHaveLength(2);
    expect((await own.post(`/threads/${threadId}/history`)).body.length).toBeGreaterThan(0);
    expect((await own.call('DELETE', `/threads/${threadId}`)).status).toBe(200);
    expect((await own.get(`/threads/${threadId}`)).status).toBe(404);
  });

  it('can ask for a word in a list of the metadata', async () => {
    const name = newName();
    const [red, blue] = [as(`${name}#red`), as(`${name}#blue`)];
    const threadId = await red.thread();
    const word = as(name);
    const plain = await word.thread({ metadata: { tags: 'red' } });

    expect((await red.post('/threads/search')).body).toHaveLength(1);
    expect((await red.get(`/threads/${plain}`)).status).toBe(404);
    expect((await blue.post('/threads/search')).body).toEqual([]);
    expect((await blue.get(`/threads/${threadId}`)).status).toBe(404);
    expect((await as(`${name}#all`).get(`/threads/${threadId}`)).status).toBe(200);
  });

  it('can ask for several words in a list of the metadata', async () => {
    const name = newName();
    const [both, mixed] = [as(`${name}#red+blue`), as(`${name}#blue+green`)];
    const threadId = await both.thread();
    await mixed.thread();

    expect((await as(`${name}#blue+red`).post('/threads/search')).body).toMatchObject([
      { thread_id: threadId },
    ]);
    expect((await as(`${name}#blue+red`).get(`/threads/${threadId}`)).status).toBe(200);
    expect((await mixed.get(`/threads/${threadId}`)).status).toBe(404);
  });

  it('answer with the status and the headers that they throw', async () => {
    const threadId = await as('keeper').thread();
    const answer = await as('keeper').call('DELETE', `/threads/${threadId}`);

    expect(answer.status).toBe(402);
    expect(answer.body).toEqual({ detail: 'Deleting costs' });
    expect(answer.headers.get('x-price')).toBe('1');
    expect((await as('keeper').get(`/threads/${threadId}`)).status).toBe(200);
  });

  it.each([
    ['failing', 'DELETE'],
    ['odd', 'GET'],
    ['odd-filter', 'GET'],
  ])('that fail or answer nonsense let nothing pass: %s %s is 500', async (name, method) => {
    const threadId = await as(name).thread();

    expect((await as(name).call(method, `/threads/${threadId}`)).status).toBe(500);
  });

  it('that return false refuse with 403', async () => {
    const guest = as('guest');

    for (const path of [
      '/assistants/search',
      '/assistants/count',
      '/store/items/search',
      '/store/namespaces',
    ])
      expect((await guest.post(path)).status).toBe(403);
    expect((await guest.get('/assistants/whoami')).status).toBe(403);
    expect((await guest.get('/store/items?namespace=a&key=b')).status).toBe(403);
    const item = { namespace: ['a'], key: 'b', value: {} };
    expect((await guest.call('PUT', '/store/items', { body: item })).status).toBe(403);
  });

  it('are asked whether a thread may be read that is there already, when a request would make it', async () => {
    const { own, other } = projects(`maker-${newName()}`);
    const threadId = await own.thread({ metadata: { topic: 'secret' } });
    const again = { thread_id: threadId, if_exists: 'do_nothing' };

    expect((await own.post('/threads', again)).body.metadata).toMatchObject({ topic: 'secret' });
    const { status, text } = await other.post('/threads', again);
    expect(status).toBe(404);
    expect(text).not.toContain('secret');
  });

  it('keep a run from starting with an assistant that their filter hides, and leave graphs to threads:create_run', async () => {
    const { own, other } = projects();
    const { assistant_id } = await own.ok('POST', '/assistants', { graph_id: 'whoami', name: 'mine' });
    const command = { id: 1, method: 'run.start', params: { assistant_id, input: {} } };
    const starts: [string, object, number][] = [
      [`/threads/${randomUUID()}/runs`, { assistant_id, input: {}, if_not_exists: 'create' }, 404],
      ['/runs/wait', { assistant_id, input: {} }, 404],
      ['/runs/batch', [{ assistant_id, input: {} }], 404],
      ['/runs/crons', { assistant_id, input: {}, schedule: '0 0 1 1 *' }, 404],
      [`/threads/${randomUUID()}/commands`, command, 422],
    ];

    for (const [path, body, refused] of starts) {
      expect([path, (await other.post(path, body)).status]).toEqual([path, refused]);
      expect([path, (await own.post(path, body)).status]).toEqual([path, 200]);
    }
    expect((await other.post('/runs/wait', { assistant_id: 'whoami', input: {} })).status).toBe(200);
  });

  it('narrow assistants as they narrow threads', async () => {
    const { whole, own, other } = projects();
    const made = await own.ok('POST', '/assistants', { graph_id: 'whoami', name: 'mine' });
    const path = `/assistants/${made.assistant_id}`;
    expect(made.metadata).toEqual({ project: 'x' });

    for (const [method, url, body] of [
      ['GET', path],
      ['PATCH', path, { name: 'theirs' }],
      ['DELETE', path],
      ['POST', `${path}/versions`, {}],
      ['POST', `${path}/latest`, { version: 1 }],
      ['GET', `${path}/schemas`],
      ['GET', `${path}/graph`],
      ['GET', `${path}/subgraphs`],
    ] as const)
      expect((await other.call(method, url, body && { body })).status).toBe(404);
    expect((await other.post('/assistants/search')).body).toEqual([]);
    expect((await other.post('/assistants/count')).body).toBe(0);
    expect((await own.post('/assistants/search')).body).toHaveLength(1);
    expect((await whole.post('/assistants/count')).body).toBeGreaterThan(1);
    expect((await own.call('DELETE', path)).status).toBe(204);
  });

  it('decide where items of the store are, and cannot filter them', async () => {
    const caller = as(newName());
    await caller.ok('PUT', '/store/items', { namespace: ['notes'], key: 'one', value: { a: 1 } });

    const item = (await caller.get('/store/items?namespace=notes&key=one')).body;
    expect(item).toMatchObject({ namespace: ['items', 'notes'], key: 'one', value: { a: 1 } });
    expect((await caller.post('/store/items/search', {})).body.items).toHaveLength(1);
    expect((await caller.post('/store/namespaces', {})).body).toEqual({ namespaces: [['items', 'notes']] });
    const place = { namespace: ['notes'], key: 'one' };
    expect((await caller.call('DELETE', '/store/items', { body: place })).status).toBe(204);
    expect((await caller.get('/store/items?namespace=notes&key=one')).body).toBeNull();

    expect((await as('filtering').post('/store/items/search', {})).status).toBe(500);
  });
});
