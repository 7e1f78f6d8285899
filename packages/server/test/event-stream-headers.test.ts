import type { OpenApiDocument } from '@switchyard/server/http/docs/openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { routesOf } from './support/generated/generated-request.ts';

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

const newRun = { assistant_id: 'chat', input: says('x') };
const events = { channels: ['values'] };

/** Without those of a door, whose tests have what it streams. */
async function eventStreamRoutes(): Promise<{ method: string; path: string }[]> {
  const document = (await (await server.gateway.fetch('/openapi.json')).json()) as OpenApiDocument;
  return routesOf(document).filter(
    ({ path, operation }) =>
      path.startsWith('/api/') && JSON.stringify(operation.responses).includes('text/event-stream'),
  );
}

/** The headers of a stream that a browser behind a compressing proxy would ask for. */
async function headersOf({ method, path }: { method: string; path: string }, names: Record<string, string>) {
  const abort = new AbortController();
  const startsRun = method === 'POST' && !path.includes('{run_id}');
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown');
  const answer = await server.gateway.fetch(url, {
    method,
    headers: {
      'x-api-key': server.ada.token,
      'accept-encoding': 'gzip, br',
      ...(startsRun && { 'content-type': 'application/json' }),
    },
    ...(startsRun && { body: JSON.stringify(path.endsWith('/stream/events') ? events : newRun) }),
    signal: abort.signal,
  });
  abort.abort();
  return { status: answer.status, ...Object.fromEntries(answer.headers) };
}

describe('every event stream that the gateway describes', () => {
  it('forbids a proxy to change it, and is not compressed by the gateway', async () => {
    const threadId = await server.ada.thread();
    const { run_id: runId } = await server.ada.run(threadId, newRun);
    await server.ada.ended(threadId, runId);
    const routes = await eventStreamRoutes();
    for (const route of routes) {
      const headers = await headersOf(route, { thread_id: threadId, run_id: runId });
      expect(headers, `${route.method} ${route.path}`).toMatchObject({
        status: 200,
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
      });
      expect(headers, `${route.method} ${route.path}`).not.toHaveProperty('content-encoding');
    }
    const mounts = new Set(routes.map(({ path }) => path.split('/').slice(0, 3).join('/')));
    expect([routes.length, [...mounts].sort()]).toEqual([
      14,
      ['/api/langgraph', '/api/runs', '/api/threads'],
    ]);
  });
});
