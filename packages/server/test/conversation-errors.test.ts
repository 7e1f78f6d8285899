import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** Each status and body that the conversation documents name, on the routes of the area and on both mounts. */

let server: ConversationGateway;
let ada: ConversationCaller;
let threadId: string;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
  threadId = await ada.thread();
});
afterAll(() => server.close());

const mounts = ['/api', '/api/langgraph'] as const;
const unknownAt = {
  '/api': {
    thread: 'Thread unknown not found',
    newRun: 'Thread unknown not found',
    run: 'Run unknown not found',
    assistant: 'Assistant unknown not found',
  },
  '/api/langgraph': {
    thread: 'Thread with ID unknown not found',
    newRun: 'Thread or assistant not found. Thread with ID unknown not found',
    run: 'Run not found: unknown',
    assistant: 'Assistant not found: unknown',
  },
};
const json = { 'content-type': 'application/json' };

async function plain(path: string, request: RequestInit = {}) {
  const answer = await server.gateway.fetch(path, request);
  return { status: answer.status, body: await answer.json() };
}

describe.each(mounts)('a caller of %s', (mount) => {
  it('without a credential: reading is not authenticated, writing has no CSRF token', async () => {
    const unauthenticated = {
      status: 401,
      body: { detail: { code: 'not_authenticated', message: 'Authentication required' } },
    };
    expect(await plain(`${mount}/threads/${threadId}`)).toEqual(unauthenticated);
    expect(await plain(`${mount}/no-such-thing`)).toEqual(unauthenticated);
    for (const [method, path] of [
      ['POST', '/threads'],
      ['POST', '/threads/search'],
      ['POST', `/threads/${threadId}/runs/stream`],
      ['DELETE', `/threads/${threadId}`],
      ['PATCH', `/threads/${threadId}`],
    ] as const) {
      expect(await plain(mount + path, { method, headers: json, body: '{}' })).toEqual({
        status: 403,
        body: { detail: 'CSRF token missing. Include X-CSRF-Token header.' },
      });
    }
  });

  it('with a bad token gets an error, even with a valid cookie', async () => {
    const session = await server.gateway.register(`bad${mounts.indexOf(mount)}@example.com`);
    for (const headers of [{ authorization: 'Bearer nonsense' }, { 'x-api-key': 'sy_pat_nonsense' }]) {
      const { status, body } = await plain(`${mount}/threads/${threadId}`, {
        headers: { ...headers, cookie: session.cookieHeader },
      });
      expect(status).toBe(401);
      expect(body).toEqual({ detail: { code: 'token_invalid', message: expect.any(String) } });
    }
    expect(
      await plain(`${mount}/threads/${threadId}`, { headers: { cookie: 'access_token=junk' } }),
    ).toMatchObject({
      status: 401,
      body: { detail: { code: 'token_invalid' } },
    });
  });

  it('with a cookie and a wrong CSRF token is refused, on streams too', async () => {
    const session = await server.gateway.register(`csrf${mounts.indexOf(mount)}@example.com`);
    for (const path of ['/threads', `/threads/${threadId}/runs/stream`]) {
      expect(
        await plain(mount + path, {
          method: 'POST',
          headers: { ...json, cookie: session.cookieHeader, 'x-csrf-token': 'wrong' },
          body: '{}',
        }),
      ).toEqual({ status: 403, body: { detail: 'CSRF token mismatch.' } });
    }
  });

  it('with a read-only token cannot write', async () => {
    const session = await server.gateway.register(`reader${mounts.indexOf(mount)}@example.com`);
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'reader',
      scopes: ['conversation:read'],
    });
    const headers = { ...json, 'x-api-key': token };
    expect((await plain(`${mount}/threads/search`, { method: 'POST', headers, body: '{}' })).status).toBe(
      200,
    );
    const { status, body } = await plain(`${mount}/threads`, { method: 'POST', headers, body: '{}' });
    expect({ status, body }).toEqual({ status: 403, body: { detail: expect.any(String) } });
  });
});

describe.each(mounts)('a request to %s', (mount) => {
  it('for something that does not exist answers 404 with a sentence', async () => {
    const caller = ada.at(mount);
    const { thread, newRun, run, assistant } = unknownAt[mount];
    const missing: [string, string, string][] = [
      ['GET', '/threads/unknown', thread],
      ['GET', '/threads/unknown/state', thread],
      ['PATCH', '/threads/unknown', thread],
      ['DELETE', '/threads/unknown', thread],
      ['POST', '/threads/unknown/copy', thread],
      ['POST', '/threads/unknown/state', thread],
      ['POST', '/threads/unknown/runs', newRun],
      ['GET', `/threads/${threadId}/runs/unknown`, run],
      ['GET', `/threads/${threadId}/runs/unknown/join`, run],
      ['GET', `/threads/${threadId}/runs/unknown/stream`, run],
      ['POST', `/threads/${threadId}/runs/unknown/cancel`, run],
      ['DELETE', `/threads/${threadId}/runs/unknown`, run],
      ['GET', '/runs/unknown/stream', run],
      ['GET', `/threads/${threadId}/state/unknown`, 'Checkpoint unknown not found'],
      ['GET', '/assistants/unknown', assistant],
      ['GET', '/no/such/path', 'Not Found'],
    ];
    for (const [method, path, detail] of missing) {
      const answer = await caller.call(method, path, { ...(method !== 'GET' && { body: {} }) });
      expect({ path, status: answer.status, body: answer.body }).toEqual({
        path,
        status: 404,
        body: { detail },
      });
    }
  });

  it('with the wrong method answers 405', async () => {
    const answer = await ada.at(mount).call('PUT', `/threads/${threadId}`, { body: {} });
    expect(answer).toMatchObject({ status: 405, body: { detail: 'Method Not Allowed' } });
  });

  it('with a body that is not JSON, has another content type or is too deep is refused with the reason', async () => {
    const send = (body: string, type = 'application/json') =>
      plain(`${mount}/threads`, {
        method: 'POST',
        headers: { 'x-api-key': ada.token, 'content-type': type },
        body,
      });
    expect(await send('{"a":')).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'json_invalid', loc: ['body', expect.any(Number)] }] },
    });
    expect((await send('{}', 'text/html')).status).toBe(415);
    expect((await send(`{"metadata":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`)).status).toBe(422);
    expect((await send('{"metadata":{"a":"\\u0000"}}')).status).toBe(422);
    expect((await send('{"metadata":{"a":"\\ud800"}}')).status).toBe(422);
    expect((await send('[]')).status).toBe(422);
  });

  it('that does not fit its schema names every fault', async () => {
    const { status, body } = await ada
      .at(mount)
      .post('/threads/search', { limit: 0, offset: 'x', status: 'odd' });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc).sort()).toEqual([
      ['body', 'limit'],
      ['body', 'offset'],
      ['body', 'status'],
    ]);
    for (const fault of body.detail) {
      expect(fault).toEqual({
        type: expect.any(String),
        loc: expect.any(Array),
        msg: expect.any(String),
        input: expect.anything(),
        ...(fault.ctx && { ctx: expect.any(Object) }),
        sentences: [{ code: expect.any(String), values: expect.any(Object) }],
      });
    }
  });

  it('answers 409 while a run is at work, when it cannot wait', async () => {
    const caller = ada.at(mount);
    const busy = await caller.thread();
    await caller.wait(busy, { assistant_id: 'chat', input: says('x') });
    await caller.run(busy, { assistant_id: 'chat', input: says('later'), after_seconds: 3600 });
    expect(await caller.post(`/threads/${busy}/state`, { values: { messages: [] } })).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringMatching(/Thread has a run in flight\. Update state after the run finishes\.$/),
      },
    });
    expect(
      (await caller.post('/threads/prune', { thread_ids: [busy], strategy: 'keep_latest' })).status,
    ).toBe(409);
    expect((await caller.call('DELETE', `/threads/${busy}`)).status).toBe(200);
  });
});

describe('the first requests of LangGraph clients', () => {
  it('are answered without a credential', async () => {
    const langgraph = ada.at('/api/langgraph');
    expect((await langgraph.get('/ok')).body).toEqual({ ok: true });
    expect((await langgraph.get('/info')).body).toMatchObject({
      version: expect.any(String),
      flags: expect.any(Object),
    });
    expect((await plain('/api/langgraph/info')).status).toBe(200);
  });
});

describe('waiting runs beyond the limit', () => {
  it('are answered 429, with a hint what to do', async () => {
    const small = await startConversation({ conversation: { max_waiting_runs_per_user: 2 } });
    try {
      const id = await small.ada.thread();
      const later = { assistant_id: 'chat', input: says('x'), after_seconds: 3600 };
      const statuses: number[] = [];
      for (let count = 0; count < 4; count += 1) {
        statuses.push((await small.ada.post(`/threads/${id}/runs`, later)).status);
      }
      expect(statuses).toEqual([200, 200, 429, 429]);
      const others = await small.bob.thread();
      expect((await small.bob.post(`/threads/${others}/runs`, later)).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});
