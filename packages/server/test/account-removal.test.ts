import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let adminToken: string;
beforeAll(async () => {
  server = await startConversation();
  const account = { email: 'root@example.com', password: 'correct horse battery' };
  await server.gateway.fetch('/api/v1/auth/initialize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const session = await HttpSession.login(server.gateway.url, account);
  const made = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'admin',
    scopes: ['admin'],
  });
  adminToken = made.token;
});
afterAll(() => server.close());

describe('an account that is deleted', () => {
  it('takes what its user had with it, also what is at work, and nothing of others', async () => {
    const { ada, bob } = server;
    for (const user of [ada, bob]) await furnish(user);
    const held = await ada.thread();
    const stream = await ada.stream(held, { assistant_id: 'steps', input: { name: 'held' } });
    const deleted = await server.gateway.fetch(`/api/v1/users/${ada.userId}`, {
      method: 'DELETE',
      headers: { 'x-api-key': adminToken },
    });
    expect(deleted.status).toBe(200);

    await expect.poll(() => existsSync(folderOf(ada))).toBe(false);
    await stream.rest().catch(() => undefined); // broken off with its session
    expect(existsSync(folderOf(bob))).toBe(true);
    expect(await bob.ok('POST', '/threads/search', {})).toHaveLength(1);
    expect((await bob.ok('GET', '/memory')).facts).toHaveLength(1);
  });
});

async function furnish(user: ConversationCaller): Promise<void> {
  const thread = await user.thread();
  await user.wait(thread, { assistant_id: 'chat', input: says('hi') });
  const files = new FormData();
  files.append('files', new Blob(['a']), 'a.txt');
  const answer = await fetch(`${user.url}/api/threads/${thread}/uploads`, {
    method: 'POST',
    headers: { 'x-api-key': user.token },
    body: files,
  });
  expect(answer.status).toBe(200);
  await user.ok('POST', '/memory/facts', { content: 'Likes tea' });
  await user.ok('POST', '/agents', { name: 'painter' });
  await user.ok('PUT', '/user-profile', { content: 'I paint.' });
}

function folderOf({ userId }: ConversationCaller): string {
  return join(server.gateway.home, 'users', userId);
}
