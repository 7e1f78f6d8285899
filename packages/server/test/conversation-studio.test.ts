import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const origin = 'https://smith.langchain.com';

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation({ server: { cors: { origins: [origin] } } });
});
afterAll(() => server.close());

/** Calls as LangGraph Studio does from its page: a preflight, then the request. Its calls were read, the page itself was not opened. */
async function call(method: string, path: string, body?: object): Promise<Response> {
  const url = `${server.gateway.url}/api/langgraph${path}`;
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,x-auth-scheme,x-tenant-id',
      'access-control-request-private-network': 'true',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-auth-scheme');
  expect(preflight.headers.get('access-control-allow-private-network')).toBe('true');
  const answer = await fetch(url, {
    method,
    headers: {
      origin,
      authorization: `Bearer ${server.ada.token}`,
      'x-auth-scheme': 'langsmith',
      ...(body && { 'content-type': 'text/plain' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  expect(answer.ok, `${method} ${path} answered ${answer.status}`).toBe(true);
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
const json = async (...asked: Parameters<typeof call>): Promise<any> => (await call(...asked)).json();

it('lets the page find the graphs, draw one, run it, look at its states and go on from one of them', async () => {
  expect(await json('GET', '/info')).toMatchObject({
    version: expect.any(String),
    flags: { assistants: true },
  });
  const assistants = await json('POST', '/assistants/search', { limit: 100, offset: 0 });
  const { assistant_id: id } = assistants.find(
    ({ graph_id: graph }: { graph_id: string }) => graph === 'chat',
  );
  expect(await json('GET', `/assistants/${id}/graph?xray=true`)).toMatchObject({ nodes: expect.any(Array) });
  expect(await json('GET', `/assistants/${id}/schemas`)).toMatchObject({ graph_id: 'chat' });
  expect(await json('GET', `/assistants/${id}/subgraphs?recurse=true`)).toEqual({});

  const { thread_id: threadId } = await json('POST', '/threads', { metadata: { graph_id: 'chat' } });
  const stream = await call('POST', `/threads/${threadId}/runs/stream`, {
    assistant_id: id,
    input: says('count to 3'),
    stream_mode: ['debug', 'messages'],
    stream_subgraphs: true,
  });
  expect(await stream.text()).toContain('event: debug');
  const [newest, before] = await json('POST', `/threads/${threadId}/history`, { limit: 10 });
  expect(newest.values.messages.at(-1).content).toBe('1 2 3');
  await json('POST', `/threads/${threadId}/state/checkpoint`, {
    checkpoint: before.checkpoint,
    subgraphs: true,
  });
  const again = await call('POST', `/threads/${threadId}/runs/stream`, {
    assistant_id: id,
    input: null,
    checkpoint: before.checkpoint,
    stream_mode: ['debug'],
  });
  expect(await again.text()).not.toContain('event: error');
  expect((await json('POST', '/threads/search', { metadata: { graph_id: 'chat' } })).length).toBeGreaterThan(
    0,
  );
  await json('POST', `/threads/${threadId}/copy`);
  expect(await json('POST', '/store/items/search', { namespace_prefix: [randomUUID()] })).toEqual({
    items: [],
  });
});
