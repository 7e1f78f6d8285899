import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
});
afterAll(() => server.close());

describe('deleting a thread', () => {
  it('removes everything that was in it for every reader', async () => {
    const threadId = await ada.thread({ metadata: { topic: 'gone' } });
    const { run_id } = await ada.run(threadId, { assistant_id: 'chat', input: says('hi') });
    await ada.ended(threadId, run_id);
    await ada.ok('PUT', `/threads/${threadId}/runs/${run_id}/feedback`, { rating: 1 });

    expect(await ada.call('DELETE', `/threads/${threadId}`)).toMatchObject({
      status: 200,
      body: { success: true, message: expect.stringContaining(threadId) },
    });

    const gone = { status: 404, body: { detail: `Thread ${threadId} not found` } };
    for (const caller of [ada, bob]) {
      for (const path of ['', '/state', '/history', '/runs']) {
        expect(await caller.get(`/threads/${threadId}${path}`), path).toMatchObject(gone);
      }
      expect(await caller.post('/threads', { thread_id: threadId })).toMatchObject(gone);
      const started = await caller.post(`/threads/${threadId}/runs`, {
        assistant_id: 'chat',
        if_not_exists: 'create',
      });
      expect(started).toMatchObject(gone);
      expect((await caller.get(`/runs/${run_id}/messages`)).status).toBe(404);
      expect((await caller.get(`/runs/${run_id}/feedback`)).status).toBe(404);
    }
    expect(await ada.ok('POST', '/threads/search', { metadata: { topic: 'gone' } })).toEqual([]);
    expect((await ada.call('DELETE', `/threads/${threadId}`)).status).toBe(404);
  });

  it('removes its files and those of no other thread', async () => {
    const [threadId, other] = [await ada.thread(), await ada.thread()];
    const folder = (id: string) => join(server.gateway.home, 'users', ada.userId, 'threads', id);
    for (const id of [threadId, other]) {
      mkdirSync(folder(id), { recursive: true });
      writeFileSync(join(folder(id), 'note.txt'), 'note');
    }
    await ada.ok('DELETE', `/threads/${threadId}`);
    expect([existsSync(folder(threadId)), existsSync(folder(other))]).toEqual([false, true]);
  });

  it('stops its runs first, and the end of a run brings nothing back', async () => {
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, { assistant_id: 'steps', input: { name: 'held' } });
    await ada.ok('DELETE', `/threads/${threadId}`);
    await stream.rest().catch(() => []);
    expect((await ada.get(`/threads/${threadId}`)).status).toBe(404);
    expect((await ada.get(`/threads/${threadId}/state`)).status).toBe(404);
  });

  it('happens once when two requests delete it at the same time', async () => {
    const threadId = await ada.thread();
    const deleting = [ada.call('DELETE', `/threads/${threadId}`), ada.call('DELETE', `/threads/${threadId}`)];
    const statuses = (await Promise.all(deleting)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
  });
});
