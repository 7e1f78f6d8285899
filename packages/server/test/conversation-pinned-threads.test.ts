import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

const idsOf = (threads: { thread_id: string }[]) => threads.map(({ thread_id }) => thread_id);
const pin = (caller: ConversationCaller, threadId: string, metadata: object = { deerflow_pinned: true }) =>
  caller.ok('PATCH', `/threads/${threadId}`, { metadata });

/** A user with four threads, the oldest first; the second one is pinned. */
async function withPinned(email: string) {
  const caller = await server.newUser(email);
  const threads: string[] = [];
  for (const id of ['a', 'b', 'c', 'd']) {
    const threadId = `${email.split('@')[0]}-${id}`;
    threads.push(await caller.thread({ thread_id: threadId, metadata: { topic: 'x' } }));
    await caller.until(
      async () => Date.now() > Date.parse((await caller.ok('GET', `/threads/${threadId}`)).updated_at),
      (isPast) => isPast,
    );
  }
  const [a = '', b = '', c = '', d = ''] = threads;
  await pin(caller, b);
  return { caller, a, b, c, d };
}

describe('pinning a thread', () => {
  it('does not move the time of its last change, and every other change of the metadata does', async () => {
    const { caller, b } = await withPinned('pin-time@example.com');
    const { updated_at: before, created_at } = await caller.ok('GET', `/threads/${b}`);
    expect(before).toBe(created_at);
    expect(await pin(caller, b, { deerflow_pinned: false })).toMatchObject({ updated_at: before });
    const changed = await pin(caller, b, { deerflow_pinned: true, topic: 'y' });
    expect(changed.updated_at > before).toBe(true);
    const odd = await pin(caller, b, { deerflow_pinned: 'yes' });
    expect(odd.updated_at >= changed.updated_at).toBe(true);
  });

  it('puts it first in lists under /api, page by page and with filters, and not in another order', async () => {
    const { caller, a, b, c, d } = await withPinned('pin-order@example.com');
    const search = async (body: object) => idsOf(await caller.ok('POST', '/threads/search', body));
    expect(await search({})).toEqual([b, d, c, a]);
    expect(await search({ limit: 2 })).toEqual([b, d]);
    expect(await search({ limit: 2, offset: 2 })).toEqual([c, a]);
    expect(await search({ metadata: { topic: 'x' } })).toEqual([b, d, c, a]);
    expect(await search({ status: 'idle' })).toEqual([b, d, c, a]);
    expect(await search({ sort_by: 'updated_at', sort_order: 'desc' })).toEqual([b, d, c, a]);
    expect(await search({ pinned_first: false })).toEqual([d, c, b, a]);
    expect(await search({ sort_by: 'created_at', sort_order: 'asc' })).toEqual([a, b, c, d]);
    await pin(caller, b, { deerflow_pinned: false });
    expect(await search({})).toEqual([d, c, b, a]);
  });

  it('changes the order at /api/langgraph only when the request asks for that', async () => {
    const { caller, a, b, c, d } = await withPinned('pin-platform@example.com');
    const search = async (body: object) =>
      idsOf(await caller.at('/api/langgraph').ok('POST', '/threads/search', body));
    expect(await search({})).toEqual([d, c, b, a]);
    expect(await search({ pinned_first: true })).toEqual([b, d, c, a]);
    const refused = await caller.post('/threads/search', { pinned_first: true, sort_by: 'created_at' });
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'pinned_first'] }] } });
  });

  it('is seen when the thread is created with it, and by its owner alone', async () => {
    const caller = await server.newUser('pin-new@example.com');
    const pinned = await caller.thread({ metadata: { deerflow_pinned: true } });
    const newer = await caller.thread();
    expect(idsOf(await caller.ok('POST', '/threads/search', {}))).toEqual([pinned, newer]);
    const strange = await server.bob.call('PATCH', `/threads/${pinned}`, {
      body: { metadata: { deerflow_pinned: false } },
    });
    expect(strange.status).toBe(404);
  });
});
