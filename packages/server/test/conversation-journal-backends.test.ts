import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

describe.each(['jsonl', 'memory'] as const)('events in %s', (backend) => {
  let server: ConversationGateway;
  beforeAll(async () => {
    server = await startConversation({ run_events: { backend } });
  });
  afterAll(() => server.close());

  it('are readable like those of the database, by their owner only, and are deleted with their thread', async () => {
    const { ada, bob } = server;
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('look up cats') });
    const [{ run_id, message_count }] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(message_count).toBe(4);

    const types = (events: { event_type: string }[]): string[] => events.map(({ event_type }) => event_type);
    const told = ['human_message', 'ai_tool_call', 'tool_result', 'ai_message'];
    expect(types(await ada.ok('GET', `/threads/${threadId}/messages`))).toEqual(told);
    expect(types((await ada.ok('GET', `/threads/${threadId}/messages/page`)).data)).toEqual(told);
    expect(types((await ada.ok('GET', `/runs/${run_id}/messages`)).data)).toEqual(told);
    const events = await ada.ok('GET', `/threads/${threadId}/runs/${run_id}/events`);
    expect([events.length, types(events).at(-1)]).toEqual([12, 'run_end']);
    expect((await bob.get(`/runs/${run_id}/messages`)).status).toBe(404);

    if (backend === 'jsonl') expect(filesOf(server)).toEqual([`${threadId}/runs/${run_id}.jsonl`]);
    await ada.ok('DELETE', `/threads/${threadId}`);
    expect((await ada.get(`/threads/${threadId}/messages`)).status).toBe(404);
    expect((await ada.get(`/runs/${run_id}/messages`)).status).toBe(404);
    if (backend === 'jsonl') expect(filesOf(server)).toEqual([]);
  });
});

/** Below the threads of ada. */
function filesOf({ gateway, ada }: ConversationGateway): string[] {
  const names = readdirSync(`${gateway.home}/users/${ada.userId}/threads`, { recursive: true });
  return names.map(String).filter((name) => name.endsWith('.jsonl'));
}
