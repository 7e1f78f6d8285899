import { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { ConversationStream } from './support/conversation-stream.ts';

const eva = { email: 'eva@example.com', password: 'correct horse battery' };

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

it('a stream is broken off when the session that opened it ends, and its run continues', async () => {
  const { url } = server.gateway;
  const signedIn = await HttpSession.register(url, eva);
  const caller = await ConversationCaller.of(url, signedIn);
  const leaving = await HttpSession.login(url, eva);
  const threadId = await caller.thread();
  const gate = closeGate('signing-out');
  const stream = await openAs(leaving, `/api/threads/${threadId}/runs/stream`, {
    assistant_id: 'chat',
    input: says('count to 4 at gate signing-out before 3'),
    stream_mode: ['messages-tuple'],
  });
  const { data } = await stream.until(({ event }) => event === 'metadata');
  await gate.reached;

  const rest = stream.rest();
  await leaving.post('/api/v1/auth/logout', {});
  await expect(rest).rejects.toThrow();
  expect((await caller.get(`/threads/${threadId}/runs/${data.run_id}`)).body.status).toBe('running');

  gate.open();
  expect(await caller.ended(threadId, data.run_id)).toMatchObject({ status: 'success' });
});

it('a request that waits for a run is answered with 401 when its session ends, and its run continues', async () => {
  const { url } = server.gateway;
  const caller = await ConversationCaller.of(url, await HttpSession.login(url, eva));
  const leaving = await HttpSession.login(url, eva);
  const threadId = await caller.thread();
  const gate = closeGate('leaving-wait');
  const waiting = postAs(leaving, `/api/threads/${threadId}/runs/wait`, {
    assistant_id: 'chat',
    input: says('count to 4 at gate leaving-wait before 3'),
    on_disconnect: 'cancel',
  });
  await gate.reached;

  await leaving.post('/api/v1/auth/logout', {});
  expect((await waiting).status).toBe(401);

  gate.open();
  const [run] = (await caller.get(`/threads/${threadId}/runs`)).body;
  expect(await caller.ended(threadId, run.run_id)).toMatchObject({ status: 'success' });
});

async function openAs(session: HttpSession, path: string, body: object): Promise<ConversationStream> {
  const abort = new AbortController();
  return new ConversationStream(await postAs(session, path, body, abort.signal), abort);
}

function postAs(session: HttpSession, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const cookie = session.cookieHeader;
  const csrf = /csrf_token=([^;]+)/.exec(cookie)?.[1] ?? '';
  return fetch(new URL(path, server.gateway.url), {
    method: 'POST',
    headers: { cookie, 'x-csrf-token': csrf, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}
