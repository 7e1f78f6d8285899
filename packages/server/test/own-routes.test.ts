import { fileURLToPath } from 'node:url';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';

const agentsFolder = fileURLToPath(new URL('./fixtures/own-routes/', import.meta.url));
let gateway: DevGateway;
let session: HttpSession;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  gateway = await startGateway({ agentsFolder, config: { server: { large_body_limit: 100_000 } } });
  session = await gateway.register('ada@example.com');
  ada = (await ConversationCaller.of(gateway.url, session)).at('/api/langgraph');
  bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'));
  bob = bob.at('/api/langgraph');
});
afterAll(() => gateway.stop());

describe('the app of langgraph.json', () => {
  it('answers below the Platform mount, with its own path, and knows who calls', async () => {
    const headers = { 'x-switchyard-user': 'forged' };
    const answer = await ada.call('GET', '/hello/there?a=1', { headers });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ method: 'GET', path: '/hello/there?a=1', user: ada.userId });
    expect(answer.headers.get('x-own')).toBe('yes');
    expect((await bob.get('/hello')).body.user).toBe(bob.userId);
  });

  it.each(['', '/', '?a=1'])('answers the mount itself as its root: /api/langgraph%s', async (rest) => {
    const answer = await ada.get(rest);

    expect(answer.status).toBe(200);
    expect(answer.body.path).toBe(rest === '?a=1' ? '/?a=1' : '/');
  });

  it('gets a body of any type as it came, and says the status itself', async () => {
    const answer = await fetch(`${gateway.url}/api/langgraph/form`, {
      method: 'POST',
      headers: { 'x-api-key': ada.token, 'content-type': 'image/png' },
      body: new Uint8Array([1, 2, 3]),
    });

    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ type: 'image/png', length: 3 });
    expect((await ada.get('/unknown')).text).toBe('no such page');
    expect((await ada.get('/unknown')).status).toBe(404);
  });

  it('decides neither about the request id nor about other sites', async () => {
    const { headers } = await ada.get('/hello');

    expect(headers.get('x-request-id')).not.toBe('forged');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('cannot be asked by strangers, or by a page without the CSRF header', async () => {
    const url = `${gateway.url}/api/langgraph/hello`;
    expect((await fetch(url)).status).toBe(401);

    const headers = { cookie: session.cookieHeader, 'content-type': 'text/plain' };
    expect((await fetch(url, { headers })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', headers, body: 'x' })).status).toBe(403);
  });

  it('needs the scope to write for every method that may change something', async () => {
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'reader',
      scopes: ['conversation:read'],
    });
    const headers = { 'x-api-key': token };
    const url = `${gateway.url}/api/langgraph/hello`;
    expect((await fetch(url, { headers })).status).toBe(200);
    expect((await fetch(url, { headers, method: 'POST' })).status).toBe(403);
  });

  it.each([
    ['GET', '/info', 200],
    ['GET', '/threads/00000000-0000-4000-8000-000000000000', 404],
    ['DELETE', '/threads', 405],
    ['PUT', '/assistants/search', 405],
  ])('takes no path that the gateway has: %s %s answers %i', async (method, path, status) => {
    const answer = await ada.call(method, path);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-own')).toBeNull();
  });

  it('does not say of an address of the gateway that it is unknown, and answers below it what it has', async () => {
    for (const path of ['/threads/unknown/x/y', '/runs/unknown', '/assistants/a/unknown']) {
      const { status, body, text } = await ada.get(path);
      expect([path, status, body]).toEqual([path, 404, { detail: 'Not Found' }]);
      expect(text).not.toContain('no such page');
    }
    expect((await ada.get('/threads/a/hello')).body.path).toBe('/threads/a/hello');
  });

  it('has no path outside the mount', async () => {
    expect((await ada.at('/api').get('/hello')).status).toBe(404);
  });

  it.each(['/broken', '/nothing'])('answers 500 with our own error when it fails: %s', async (path) => {
    const { status, text } = await ada.get(path);

    expect(status).toBe(500);
    expect(text).toContain("The gateway's log says why");
    expect(text).not.toContain('a fault of the app');
  });

  it('takes no body that is larger than the gateway accepts', async () => {
    const answer = await fetch(`${gateway.url}/api/langgraph/form`, {
      method: 'POST',
      headers: { 'x-api-key': ada.token, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(100_001),
    });
    expect(answer.status).toBe(413);
  });

  it('streams as fast as its reader reads, and learns when the reader has left', async () => {
    const leave = new AbortController();
    const answer = await fetch(`${gateway.url}/api/langgraph/endless`, {
      headers: { 'x-api-key': ada.token },
      signal: leave.signal,
    });
    const reader = answer.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    expect((await ada.get('/open')).body).toBe(1);

    leave.abort();
    await expect.poll(async () => (await ada.get('/open')).body).toBe(0);
  });

  it('is told the end of a run whose webhook is one of its paths', async () => {
    const threadId = await ada.thread();
    const asked = { assistant_id: 'strings', input: { messages: ['hello'] }, webhook: '/told' };
    const { run_id } = await ada.run(threadId, asked);
    await expect
      .poll(async () => (await ada.get('/told')).body)
      .toMatchObject([
        {
          user: ada.userId,
          run: { run_id, thread_id: threadId, status: 'success', values: { messages: ['hello'] } },
        },
      ]);
    for (const webhook of ['//localhost/told', '/\\localhost/told', 'told']) {
      expect((await ada.post(`/threads/${threadId}/runs`, { ...asked, webhook })).status).toBe(422);
    }
  });

  it('stands beside the graphs of its file', async () => {
    const threadId = await ada.thread();
    const done = await ada.wait(threadId, { assistant_id: 'strings', input: { messages: ['hello'] } });
    expect(done.messages).toEqual(['hello']);
  });
});
