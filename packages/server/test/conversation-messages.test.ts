import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server?.close());

const hello = { role: 'user', content: 'hello' };

/** Malformed messages, and the place that the answer names after the field that holds them. */
const malformed: [messages: unknown, at: (string | number)[], message: string][] = [
  [[5], [0], 'a message is text, an object or [role, content]'],
  [5, [], 'a message is text, an object or [role, content]'],
  [[hello, null], [1], 'a message is text'],
  [[{ content: 'x' }], [0, 'role'], 'a message has a role or a type'],
  [{ content: 'x' }, ['role'], 'a message has a role or a type'],
  [[{ role: 'king', content: 'x' }], [0, 'role'], 'a role is one of human, user'],
  [[{ type: 7, content: 'x' }], [0, 'type'], 'a role is one of'],
  [[{ role: 'user' }], [0, 'content'], 'a message has a content'],
  [[{ role: 'user', content: 5 }], [0, 'content'], 'a content is text or a list of blocks'],
  [[{ role: 'user', content: null }], [0, 'content'], 'a content is text or a list of blocks'],
  [[{ type: 'human', content: ['x', { text: 'y' }] }], [0, 'content', 1], 'a block has a type'],
  [[{ role: 'tool', content: 'x' }], [0, 'tool_call_id'], 'names the call that it answers'],
  [[{ role: 'user', content: 'x', id: 5 }], [0, 'id'], 'an id is text'],
  [[{ type: 'remove' }], [0, 'id'], 'what is to be removed has an id'],
  [[['user']], [0], 'a message that is a list has a role and a content'],
  [[['king', 'x']], [0, 0], 'a role is one of'],
  [[['user', 5]], [0, 1], 'a content is text'],
];

const wellFormed: unknown[] = [
  'hello',
  ['hello'],
  [['user', 'hello']],
  hello,
  [hello],
  [{ type: 'human', content: 'hello', id: 'h1' }],
  [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  [
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: 'hello' },
    },
  ],
  [
    { role: 'system', content: 'Be kind.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list_instances', arguments: '{}' } }],
    },
    { role: 'tool', content: 'none', tool_call_id: 'c1' },
    hello,
  ],
];

describe.each(['/api', '/api/langgraph'] as const)('messages that begin a run under %s', (mount) => {
  it.each(malformed)('are refused before anything is stored: %j', async (messages, at, text) => {
    const user = ada.at(mount);
    const threadId = await user.thread();
    for (const path of ['/runs', '/runs/stream', '/runs/wait']) {
      const answer = await user.post(`/threads/${threadId}${path}`, { input: { messages } });

      expect(answer.status, answer.text).toBe(422);
      expect(answer.body.detail[0].loc).toEqual(['body', 'input', 'messages', ...at]);
      expect(answer.body.detail[0].msg).toContain(text);
    }
    expect((await user.post('/runs/wait', { input: { messages } })).status).toBe(422);
    expect(await user.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
  });

  it.each(wellFormed)('are accepted in the forms that clients send: %j', async (messages) => {
    const user = ada.at(mount);
    const values = await user.wait(await user.thread(), { input: { messages } });

    expect(values.__error__).toBeUndefined();
    expect(values.messages.at(-1)).toMatchObject({ type: 'ai' });
    expect(JSON.stringify(values.messages.at(-2))).toContain('hello');
  });

  it('may be missing', async () => {
    const user = ada.at(mount);
    const threadId = await user.thread();
    await user.wait(threadId, { input: { messages: [hello] } });

    for (const input of [null, {}, { messages: null }, { messages: [] }]) {
      const values = await user.wait(threadId, { input });
      expect(JSON.stringify(values.messages), JSON.stringify(input)).toContain('hello');
      if (input !== null) expect(values.__error__, JSON.stringify(input)).toBeUndefined();
    }
  });
});

describe('messages that change a state', () => {
  it.each(malformed)('are refused: %j', async (messages, at, text) => {
    const threadId = await ada.thread();
    const answer = await ada.post(`/threads/${threadId}/state`, { values: { messages } });

    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.detail[0].loc).toEqual(['body', 'values', 'messages', ...at]);
    expect(answer.body.detail[0].msg).toContain(text);
  });

  it.each(wellFormed)('are accepted in the forms that clients send: %j', async (messages) => {
    const answer = await ada.post(`/threads/${await ada.thread()}/state`, { values: { messages } });

    expect(answer.status, answer.text).toBe(200);
    expect(JSON.stringify(answer.body.values.messages)).toContain('hello');
  });

  it('may not be null when the field is present', async () => {
    const answer = await ada.post(`/threads/${await ada.thread()}/state`, { values: { messages: null } });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.detail[0].loc).toEqual(['body', 'values', 'messages']);
  });

  it('are refused by users’ own graphs too, when their state has messages', async () => {
    const threadId = await ada.thread({ metadata: { graph_id: 'chat' } });
    const answer = await ada.post(`/threads/${threadId}/state`, { values: { messages: [{ role: 'king' }] } });

    expect(answer.status, answer.text).toBe(422);
  });
});
