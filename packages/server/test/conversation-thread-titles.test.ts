import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let answer: (request: FakeRequest) => FakeReply;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  const models = readModels({ only: { base_url: provider.url, api_key: 'sk-x', model: 'm' } });
  server = await startConversation({ models });
  ada = server.ada;
});
beforeEach(() => {
  answer = ({ messages }) => titleFor(messages) ?? { text: 'An answer.' };
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

function titleFor(messages: FakeRequest['messages']): FakeReply | null {
  return String(messages[0]?.content).startsWith('Write a title') ? { text: 'By the model' } : null;
}

const asks = (text: string, more: object = {}) => ({
  assistant_id: 'lead_agent',
  input: says(text),
  ...more,
});
const rename = (threadId: string, title: string) =>
  ada.ok('POST', `/threads/${threadId}/state`, { values: { title } });

/** The title in every place where a page reads it. */
async function titlesOf(threadId: string): Promise<unknown[]> {
  const [found] = await ada.ok('POST', '/threads/search', { ids: [threadId] });
  const thread = await ada.ok('GET', `/threads/${threadId}`);
  const state = await ada.ok('GET', `/threads/${threadId}/state`);
  const [newest] = await ada.ok('POST', `/threads/${threadId}/history`, { limit: 1 });
  return [found, thread, state, newest].map(({ values }) => values.title);
}

const everywhere = (title: string) => [title, title, title, title];

describe('a title that the user has given', () => {
  it('stays when the conversation goes on, and when it goes on from an older state', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, asks('one'));
    const { checkpoint_id } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(await titlesOf(threadId)).toEqual(everywhere('By the model'));
    await rename(threadId, 'By hand');
    await ada.wait(threadId, asks('two'));
    expect(await titlesOf(threadId)).toEqual(everywhere('By hand'));

    const values = await ada.wait(threadId, asks('other two', { checkpoint_id }));
    expect(values.messages.map(({ content }: { content: string }) => content)).toEqual([
      'one',
      'An answer.',
      'other two',
      'An answer.',
    ]);
    expect(values.title).toBe('By hand');
    expect(await titlesOf(threadId)).toEqual(everywhere('By hand'));
    await rename(threadId, 'By hand again');
    expect(await titlesOf(threadId)).toEqual(everywhere('By hand again'));
  });

  it('stays when an older state is run again without input, and when a run is taken back', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, asks('one', { interrupt_before: ['model_request'] }));
    const { checkpoint_id, next } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(next).toEqual(['model_request']);
    await ada.wait(threadId, { assistant_id: 'lead_agent', input: null });
    await rename(threadId, 'By hand');
    const again = await ada.wait(threadId, { assistant_id: 'lead_agent', input: null, checkpoint_id });
    expect(again).toMatchObject({ title: 'By hand' });
    expect(again.messages).toMatchObject([{ content: 'one' }, { content: 'An answer.' }]);

    answer = () => ({ text: 'For ever', hangs: true });
    const { run_id } = await ada.run(threadId, asks('more', { checkpoint_id }));
    await ada.call('POST', `/threads/${threadId}/runs/${run_id}/cancel?wait=true&action=rollback`);
    expect(await titlesOf(threadId)).toEqual(everywhere('By hand'));
  });

  it('stays when the state of an older checkpoint is changed, and belongs to a copy as well', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, asks('one'));
    const { checkpoint_id } = await ada.ok('GET', `/threads/${threadId}/state`);
    await rename(threadId, 'By hand');
    const { thread_id: copy } = await ada.ok('POST', `/threads/${threadId}/copy`);
    await ada.wait(copy, asks('two', { checkpoint_id }));
    await ada.ok('POST', `/threads/${threadId}/state`, { values: { todos: [] }, checkpoint_id });
    expect(await titlesOf(threadId)).toEqual(everywhere('By hand'));
    expect(await titlesOf(copy)).toEqual(everywhere('By hand'));
  });

  it('is not one that a run or another user brings', async () => {
    const threadId = await ada.thread();
    await rename(threadId, 'By hand');
    expect((await server.bob.post(`/threads/${threadId}/state`, { values: { title: 'Mine' } })).status).toBe(
      404,
    );
    await ada.wait(threadId, { assistant_id: 'lead_agent', input: { ...says('one'), title: 'From a run' } });
    expect((await titlesOf(threadId))[0]).toBe('By hand');
  });
});

describe('a thread gets a title', () => {
  it('from the model when its first turn ends in a question to the user', async () => {
    const asked = { question: 'Which one?', options: ['A', 'B'] };
    answer = ({ messages }) =>
      titleFor(messages) ?? { calls: [{ id: 'call_1', name: 'ask_clarification', args: asked }] };
    const threadId = await ada.thread();
    const { messages } = await ada.wait(threadId, asks('Buy a car'));
    expect(messages.at(-1)).toMatchObject({ type: 'tool', name: 'ask_clarification' });
    expect(await titlesOf(threadId)).toEqual(everywhere('By the model'));
  });

  it('from its question when its first turn is stopped, until the model has written one', async () => {
    const threadId = await ada.thread();
    answer = () => ({ text: 'Once upon a', hangs: true });
    const stream = await ada.stream(threadId, asks('Tell me a story', { stream_mode: ['messages'] }));
    await stream.until(({ event }) => event.startsWith('messages'));
    const [{ run_id }] = await ada.ok('GET', `/threads/${threadId}/runs`);
    await ada.call('POST', `/threads/${threadId}/runs/${run_id}/cancel?wait=true`);
    await stream.rest();
    expect(await titlesOf(threadId)).toEqual(everywhere('Tell me a story'));
    answer = ({ messages }) => titleFor(messages) ?? { text: 'An answer.' };
    await ada.wait(threadId, asks('And now?'));
    expect(await titlesOf(threadId)).toEqual(everywhere('By the model'));
  });

  it('from its question when its first turn waits for an approval', async () => {
    answer = () => ({ calls: [{ id: 'call_1', name: 'list_instances', args: {} }] });
    const threadId = await ada.thread();
    await ada.wait(threadId, asks('Which workers are there?', { interrupt_before: ['tools'] }));
    expect((await ada.ok('GET', `/threads/${threadId}`)).status).toBe('interrupted');
    expect(await titlesOf(threadId)).toEqual(everywhere('Which workers are there?'));
  });
});
