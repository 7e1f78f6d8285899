import { useStream } from '@langchain/react';
import { createElement, useEffect } from 'react';
import { create, type ReactTestRenderer } from 'react-test-renderer';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** The hook over the second protocol, unmodified and rendered by React. */

let server: ConversationGateway;
let page: ReactTestRenderer | undefined;
beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation((said) => {
    if (!String(said).includes('react-test-renderer is deprecated')) complaints.push(said);
  });
  server = await startConversation({ conversation: { max_runs: 1 } });
});
afterAll(async () => {
  page?.unmount();
  vi.restoreAllMocks();
  await server.close();
  expect(complaints, 'of React').toEqual([]);
});

const complaints: unknown[] = [];

interface Shown {
  isThreadLoading: boolean;
  texts: string[];
}

/** Renders a chat of the thread, and calls `show` with what is on the screen each time that it changes. */
function open(threadId: string, show: (shown: Shown) => void): ReactTestRenderer {
  const Chat = () => {
    const { isThreadLoading, messages } = useStream({
      apiUrl: `${server.gateway.url}/api/langgraph`,
      apiKey: server.ada.token,
      assistantId: 'chat',
      threadId,
    } as never);
    useEffect(() => show({ isThreadLoading, texts: messages.map(({ text }) => text) }));
    return null;
  };
  return create(createElement(Chat));
}

it('follows a run that waits for its turn when the page is opened', async () => {
  const { ada } = server;
  const gate = closeGate('other:first');
  const other = await ada.run(await ada.thread(), { assistant_id: 'steps', input: { name: 'other' } });
  await gate.reached;
  const threadId = await ada.thread();
  await ada.run(threadId, { assistant_id: 'chat', input: says('hello') });

  let shown: Shown | undefined;
  page = open(threadId, (now) => {
    shown = now;
  });
  await expect.poll(() => shown).toEqual({ isThreadLoading: false, texts: [] });
  gate.open();
  await expect.poll(() => shown?.texts).toEqual(['hello', expect.stringMatching(/./)]);
  expect(await ada.ended(other.thread_id, other.run_id)).toMatchObject({ status: 'success' });
});
