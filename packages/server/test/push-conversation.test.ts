import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { PushListener } from './support/push-listener.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = await newListener('alice@example.com');
  bob = await newListener('bert@example.com');
});
afterAll(() => server.close());

/** A user whose token may listen too. */
async function newListener(email: string): Promise<ConversationCaller> {
  const { url, register } = server.gateway;
  return ConversationCaller.of(url, await register(email), ['dispatch:read']);
}

/** A listener that has its snapshot. */
async function listen(caller: Pick<ConversationCaller, 'token'>): Promise<PushListener> {
  const listener = await PushListener.open(server.gateway.url, caller.token);
  await listener.next('global_status');
  return listener;
}

describe('pushed messages about runs', () => {
  it('tell the owner that a run was accepted, began and ended, and others nothing', async () => {
    const [own, foreign] = await Promise.all([listen(ada), listen(bob)]);
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('x') });
    const statuses = [];
    for (let step = 0; step < 3; step += 1) statuses.push((await own.next('run_status')).data);
    expect(statuses.map(({ status }) => status)).toEqual(['pending', 'running', 'success']);
    for (const data of statuses)
      expect(data).toMatchObject({ threadId, assistantId: 'chat', waitsForHuman: false, error: null });
    expect((await own.next('thread_unread')).data).toMatchObject({ threadId, unread: true });

    await bob.wait(await bob.thread(), { assistant_id: 'chat', input: says('x') });
    await foreign.next('thread_unread');
    const told = foreign.all.filter(({ type }) => type === 'run_status' || type === 'thread_unread');
    expect(told.filter(({ data }) => data.threadId === threadId)).toEqual([]);
    for (const listener of [own, foreign]) listener.close();
  });

  it('say that a run waits for a human, and why one failed', async () => {
    const own = await listen(ada);
    await ada.wait(await ada.thread(), { assistant_id: 'approval', input: { plan: 'sail' } });
    await own.next('run_status');
    await own.next('run_status');
    expect((await own.next('run_status')).data).toMatchObject({ status: 'success', waitsForHuman: true });
    await ada.wait(await ada.thread(), { assistant_id: 'failing', input: says('x') });
    await own.next('run_status');
    await own.next('run_status');
    expect((await own.next('run_status')).data).toMatchObject({
      status: 'error',
      waitsForHuman: false,
      error: expect.any(String),
    });
    own.close();
  });
});

describe('messages about runs and threads', () => {
  it('are not sent to a token without the scope of conversations, nor to administrators', async () => {
    const { url, register } = server.gateway;
    const session = await register('dora@example.com');
    const dora = await ConversationCaller.of(url, session, ['dispatch:read']);
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'pool only',
      scopes: ['dispatch:read'],
    });
    const admin = await DispatchCaller.initialize(url);
    const pool = await Promise.all([listen({ token }), listen(admin)]);
    const own = await listen(dora);
    await dora.wait(await dora.thread(), { assistant_id: 'chat', input: says('x') });
    await own.next('thread_unread');
    for (const listener of pool) {
      listener.send({ type: 'ping' });
      await listener.next('pong');
      expect(listener.all.map(({ type }) => type)).not.toContain('run_status');
      listener.close();
    }
    own.close();
  });
});

describe('a thread', () => {
  it('is unread after the end of a run, until its owner has read it', async () => {
    const own = await listen(ada);
    const threadId = await ada.thread();
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ unread: false, run_ended_at: null });
    await ada.wait(threadId, { assistant_id: 'chat', input: says('x') });
    const thread = await ada.ok('GET', `/threads/${threadId}`);
    expect(thread).toMatchObject({ unread: true, run_ended_at: expect.any(String) });
    expect(await ada.ok('POST', '/threads/search', { ids: [threadId] })).toMatchObject([{ unread: true }]);

    const mark = { thread_id: threadId, unread: false, run_ended_at: thread.run_ended_at };
    expect(await ada.ok('POST', `/threads/${threadId}/read`, {})).toEqual(mark);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ unread: false });
    await own.next('thread_unread');
    expect((await own.next('thread_unread')).data).toEqual({
      threadId,
      unread: false,
      runEndedAt: thread.run_ended_at,
    });
    expect(await ada.ok('POST', `/threads/${threadId}/unread`)).toEqual({ ...mark, unread: true });
    own.close();
  });

  it('stays unread when a run ended after what the reader has seen', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('x') });
    const { run_ended_at: seen } = await ada.ok('GET', `/threads/${threadId}`);
    const before = new Date(Date.parse(seen) - 1).toISOString();
    const path = `/threads/${threadId}/read`;
    expect(await ada.ok('POST', path, { run_ended_at: before })).toMatchObject({ unread: true });
    expect(await ada.ok('POST', path, { run_ended_at: seen })).toMatchObject({ unread: false });
  });

  it('cannot be marked by another user, nor with an unknown field', async () => {
    const threadId = await ada.thread();
    for (const path of ['read', 'unread'])
      expect((await bob.post(`/threads/${threadId}/${path}`)).status).toBe(404);
    expect((await ada.post(`/threads/${threadId}/read`, { ended: 'x' })).status).toBe(422);
    expect((await ada.post(`/threads/${threadId}/read`, { run_ended_at: 'noon' })).status).toBe(422);
  });
});

describe('the list of unread threads', () => {
  it('has every unread thread of its user once, the last ended first, in pages', async () => {
    const cleo = await server.newUser('cleo@example.com');
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const threadId = await cleo.thread();
      await cleo.wait(threadId, { assistant_id: 'chat', input: says('x') });
      ids.unshift(threadId);
    }
    const read = ids.splice(2, 1)[0];
    await cleo.ok('POST', `/threads/${read}/read`, {});
    const listed: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await cleo.ok('GET', `/console/unread-threads?limit=3${cursor && `&cursor=${cursor}`}`);
      expect(page.total).toBe(4);
      listed.push(...page.threads.map(({ thread_id }: { thread_id: string }) => thread_id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(listed).toEqual(ids);
    const others = await bob.ok('GET', '/console/unread-threads');
    expect(others.threads.filter(({ thread_id }: { thread_id: string }) => ids.includes(thread_id))).toEqual(
      [],
    );
  });

  it('refuses a cursor that it did not give, and an unknown field', async () => {
    expect((await ada.get('/console/unread-threads?cursor=nonsense')).status).toBe(422);
    expect((await ada.get('/console/unread-threads?limits=3')).status).toBe(422);
  });
});

describe('a client that comes back', () => {
  it('gets the messages about its runs that it missed', async () => {
    const first = await listen(ada);
    const snapshot = first.all[0];
    first.close();
    await first.closed;
    const threadId = await ada.thread();
    const gate = closeGate('push');
    const { run_id: runId } = await ada.run(threadId, { assistant_id: 'chat', input: says('wait for push') });
    gate.open();
    await ada.ended(threadId, runId);
    const url = new URL(server.gateway.url);
    url.searchParams.set('cursor', snapshot?.cursor ?? '');
    const again = await PushListener.open(url.href, ada.token);
    await again.next('resumed');
    const missed = again.all.filter(({ data }) => data.threadId === threadId).map(({ type }) => type);
    expect(missed).toEqual(['run_status', 'run_status', 'run_status', 'thread_unread']);
    again.close();
  });
});
