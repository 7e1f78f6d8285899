import { Client } from '@langchain/langgraph-sdk';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';

const origin = 'http://localhost:5173';
let gateway: DevGateway;
let session: HttpSession;
beforeAll(async () => {
  gateway = await startGateway({ config: { server: { cors: { origins: [origin] } } } });
  session = await gateway.register('ada@example.com');
});
afterAll(() => gateway.stop());

/** The client of the guide `own-page.md`, with what a browser adds by itself. */
function clientOfPage(pageOrigin: string, answers: Response[]): Client {
  const csrf = /(?:^|; )csrf_token=([^;]+)/.exec(session.cookieHeader)?.[1] ?? '';
  return new Client({
    apiUrl: `${gateway.url}/api/langgraph`,
    apiKey: null,
    callerOptions: {
      maxRetries: 0,
      fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
        const headers = new Headers(init.headers);
        headers.set('x-csrf-token', csrf);
        headers.set('cookie', session.cookieHeader);
        headers.set('origin', pageOrigin);
        const answer = await fetch(url, { ...init, headers });
        answers.push(answer);
        return answer;
      },
    },
  });
}

it('a page of a listed origin makes a thread and streams a run with the cookie of the gateway', async () => {
  const answers: Response[] = [];
  const client = clientOfPage(origin, answers);
  const { thread_id } = await client.threads.create();
  const events: string[] = [];
  for await (const { event } of client.runs.stream(thread_id, 'lead_agent', {
    input: says('Hello'),
    streamMode: ['values', 'messages-tuple'],
  }))
    events.push(event);

  expect(events).toEqual(expect.arrayContaining(['metadata', 'messages', 'values']));
  expect(answers.length).toBeGreaterThan(1);
  for (const { headers } of answers) {
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
  }
});

it('a page of another origin gets no answer that its browser would show it', async () => {
  const answers: Response[] = [];
  await clientOfPage('http://localhost:5174', answers).threads.create();

  expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null]);
});
