import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

interface Operation {
  deprecated?: boolean;
  description?: string;
}

it('a deprecated address works as before, and says when it goes', async () => {
  const thread = await server.ada.thread();
  const change = { metadata: { color: 'green' } };
  const { status, headers } = await server.ada.call('PATCH', `/threads/${thread}/state`, { body: change });

  expect(status).toBe(204);
  expect(headers.get('deprecation')).toBe('@1795824000');
  expect(headers.get('sunset')).toBe('Sun, 28 Nov 2027 00:00:00 GMT');
  expect(await server.ada.ok('GET', `/threads/${thread}`)).toMatchObject(change);
});

it('an address of LangGraph stays where its clients look for it', async () => {
  const thread = await server.ada.thread();
  const platform = server.ada.at('/api/langgraph');
  const { status, headers } = await platform.call('PATCH', `/threads/${thread}/state`, { body: {} });
  expect(status).toBe(204);
  expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([null, null]);
});

it('the description names each deprecated address with a successor that exists, and a year between', async () => {
  const answer = await fetch(new URL('/openapi.json', server.gateway.url));
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  const deprecated = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.deprecated)
      .map(([method, { description = '' }]) => ({ address: `${method.toUpperCase()} ${path}`, description })),
  );
  expect(deprecated.map(({ address }) => address)).toEqual(['PATCH /api/threads/{thread_id}/state']);
  for (const { description } of deprecated) {
    const said = /Deprecated since (\S+), and answers at least until (\S+): use `(\S+) (\S+)`\.$/.exec(
      description,
    );
    const [, since = '', until = '', method = '', path = ''] = said ?? [];
    const successor = paths[path]?.[method.toLowerCase()];
    expect(successor, `${method} ${path}`).toBeDefined();
    expect(successor?.deprecated).toBeUndefined();
    expect((Date.parse(until) - Date.parse(since)) / 86_400_000).toBeGreaterThanOrEqual(365);
  }
});
