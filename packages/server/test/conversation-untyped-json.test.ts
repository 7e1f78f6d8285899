import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let session: HttpSession;
beforeAll(async () => {
  server = await startConversation();
  session = await server.gateway.register('browser@example.com');
});
afterAll(() => server.close());

/** Bytes, because `fetch` gives a text the type text/plain by itself. */
const bodyOf = (text: string) => new TextEncoder().encode(text);
const post = (mount: string, headers: Record<string, string>, text = '{"metadata":{"from":"proxy"}}') =>
  fetch(`${server.gateway.url}${mount}/threads`, { method: 'POST', headers, body: bodyOf(text) });
const withToken = () => ({ authorization: `Bearer ${server.ada.token}` });
const withKey = () => ({ 'x-api-key': server.ada.token });
const withCookie = () => ({
  cookie: session.cookieHeader,
  'x-csrf-token': /csrf_token=([^;]+)/.exec(session.cookieHeader)?.[1] ?? '',
});
const types = [{ 'content-type': 'text/plain;charset=UTF-8' }, { 'content-type': 'text/plain' }, {}];

describe('a JSON body of the type text/plain, or of none,', () => {
  it.each(types)('is read on the Platform mount where a header has the credential: %j', async (type) => {
    for (const credential of [withToken(), withKey()]) {
      const answer = await post('/api/langgraph', { ...credential, ...type });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ metadata: { from: 'proxy' } });
    }
    expect((await post('/api/langgraph', { ...withToken(), ...type }, '{"metadata":')).status).toBe(422);
  });

  it.each(types)('is refused with a cookie: %j', async (type) => {
    expect((await post('/api/langgraph', { ...withCookie(), ...type })).status).toBe(415);
  });

  it.each(types)('is refused on the other mount: %j', async (type) => {
    expect((await post('/api', { ...withToken(), ...type })).status).toBe(415);
  });

  it('does not open the Platform mount to other types', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/html', 'multipart/form-data'])
      expect((await post('/api/langgraph', { ...withToken(), 'content-type': type })).status).toBe(415);
  });
});
