import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { firstAdmin } from './support/first-admin.ts';

let server: ConversationGateway;
let admin: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  admin = await firstAdmin(server.gateway);
});
afterAll(() => server.close());

describe('an account that is deleted', () => {
  it('is deleted with everything of its user, including running work, and nothing of others', async () => {
    const { ada, bob } = server;
    for (const user of [ada, bob]) await furnish(user);
    const held = await ada.thread();
    const stream = await ada.stream(held, { assistant_id: 'steps', input: { name: 'held' } });
    const deleted = await admin.call('DELETE', `/v1/users/${ada.userId}`);
    expect(deleted.status).toBe(200);

    await expect.poll(() => existsSync(folderOf(ada))).toBe(false);
    await stream.rest().catch(() => undefined); // The connection ends together with its session.
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
