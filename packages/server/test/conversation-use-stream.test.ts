import type { Message } from '@langchain/langgraph-sdk';
import { type UseStream, type UseStreamOptions, useStream } from '@langchain/langgraph-sdk/react';
import { createElement, useEffect } from 'react';
import { create, type ReactTestRenderer } from 'react-test-renderer';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** The hook that chat interfaces are built with, unmodified and rendered by React. */

interface State extends Record<string, unknown> {
  messages?: Message[];
  log?: string[];
}
type Options = Partial<UseStreamOptions<State>>;

let server: ConversationGateway;
beforeAll(async () => {
  // The hook checks for this before it stores anything for a reload.
  vi.stubGlobal('window', {});
  vi.spyOn(console, 'error').mockImplementation((said) => {
    // The hook logs the errors of runs there as error objects; React's complaints are text.
    if (said instanceof Error || said.includes('react-test-renderer is deprecated')) return;
    complaints.push(said);
  });
  server = await startConversation();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await server.close();
  expect(complaints, 'of React').toEqual([]);
});

const complaints: string[] = [];
const open: Chat[] = [];
afterEach(() => {
  for (const chat of open.splice(0)) chat.close();
});

/** A component that shows the messages, and the last value of the hook. */
class Chat {
  stream!: UseStream<State>;
  threadId: string | null;
  readonly errors: unknown[] = [];
  readonly finished: unknown[] = [];
  readonly custom: unknown[] = [];
  readonly #options: Options;
  #renderer: ReactTestRenderer | undefined;
  #waiting: (() => void)[] = [];

  private constructor(options: Options) {
    this.#options = options;
    this.threadId = options.threadId ?? null;
  }

  static async open(options: Options = {}): Promise<Chat> {
    const chat = new Chat(options);
    open.push(chat);
    chat.#renderer = create(createElement(() => chat.#render()));
    await chat.until(() => chat.stream !== undefined);
    return chat;
  }

  /** What is on the screen. */
  get lines(): string[] {
    const shown = this.#renderer?.root.findAllByType('li') ?? [];
    return shown.map(({ children }) => children.join(''));
  }

  async submit(...request: Parameters<UseStream<State>['submit']>): Promise<void> {
    await this.stream.submit(...request);
    await this.until(() => !this.stream.isLoading);
  }

  /** Checks again each time React has rendered something new. */
  async until(isWanted: () => boolean): Promise<void> {
    while (!isWanted()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#renderer?.unmount();
  }

  #render() {
    this.stream = useStream<State>({
      assistantId: 'chat',
      apiUrl: `${server.gateway.url}/api/langgraph`,
      apiKey: server.ada.token,
      callerOptions: { maxRetries: 0 },
      threadId: this.threadId,
      onThreadId: (id) => {
        this.threadId = id;
      },
      onError: (error) => this.errors.push(error),
      onFinish: (state) => this.finished.push(state),
      onCustomEvent: (event) => this.custom.push(event),
      ...this.#options,
    } as UseStreamOptions<State>) as unknown as UseStream<State>;
    useEffect(() => {
      for (const look of this.#waiting.splice(0)) look();
    });
    const lines = this.stream.messages.map(({ type, content, id }) =>
      createElement('li', { key: id }, `${type}: ${content}`),
    );
    return createElement('ul', null, ...lines);
  }
}

const says = (content: string) => ({ messages: [{ type: 'human' as const, content }] });

/** Like the browser's storage: it survives a reload, and a page that was left writes no more. */
function newStorage() {
  const entries = new Map<string, string>();
  const page = () => {
    const state = { isOpen: true };
    return {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => void (state.isOpen && entries.set(key, value)),
      removeItem: (key: string) => void (state.isOpen && entries.delete(key)),
      leave: () => {
        state.isOpen = false;
      },
    };
  };
  return { entries, page };
}

describe('useStream', () => {
  it('creates a thread, shows the answer as it comes, and has the state at the end', async () => {
    const gate = closeGate('hook-words');
    const chat = await Chat.open({ fetchStateHistory: true });
    const submitted = chat.submit(says('count to 6 at gate hook-words before 4'));
    await gate.reached;
    await chat.until(() => chat.lines.at(-1) === 'ai: 1 2 3');
    expect(chat.stream.isLoading).toBe(true);
    gate.open();
    await submitted;
    expect(chat.lines).toEqual(['human: count to 6 at gate hook-words before 4', 'ai: 1 2 3 4 5 6']);
    expect(chat.stream.isLoading).toBe(false);
    expect(chat.threadId).toEqual(expect.any(String));
    expect(chat.finished).toMatchObject([{ values: { messages: [{ type: 'human' }, { type: 'ai' }] } }]);
    expect(chat.stream.history.length).toBeGreaterThan(0);
    await chat.submit(says('and now?'));
    expect(chat.lines.slice(2)).toEqual(['human: and now?', 'ai: You said: and now?']);
    expect(chat.errors).toEqual([]);
  });

  it('shows tool calls with their results, and what the tool writes meanwhile', async () => {
    const chat = await Chat.open();
    await chat.submit(says('look up cats'));
    expect(chat.lines).toEqual([
      'human: look up cats',
      'ai: Looking.',
      'tool: all about cats',
      'ai: Found: all about cats',
    ]);
    expect(chat.stream.toolCalls).toMatchObject([
      {
        call: { name: 'look_up', args: { topic: 'cats' } },
        result: { content: 'all about cats' },
        state: 'completed',
      },
    ]);
    expect(chat.custom).toEqual([{ type: 'looking', topic: 'cats' }]);
  });

  it('shows a question and continues with the answer', async () => {
    const chat = await Chat.open({ assistantId: 'approval', fetchStateHistory: true });
    await chat.submit({ plan: 'sail' });
    expect(chat.stream.interrupt).toMatchObject({
      id: expect.any(String),
      value: { question: 'May I sail?' },
    });
    expect(chat.stream.isLoading).toBe(false);

    const reloaded = await Chat.open({
      assistantId: 'approval',
      fetchStateHistory: true,
      threadId: chat.threadId,
    });
    await reloaded.until(() => !reloaded.stream.isThreadLoading);
    expect(reloaded.stream.interrupt).toMatchObject({ value: { question: 'May I sail?' } });
    await reloaded.submit({}, { command: { resume: 'aye' } });
    expect(reloaded.stream.values.log).toEqual(['prepared sail', 'answered "aye"', 'finished sail']);
    expect(reloaded.stream.interrupt).toBeUndefined();
    expect([...chat.errors, ...reloaded.errors]).toEqual([]);
  });

  it.each([true, false])(
    'ends the run when it is stopped (it could come back: %s)',
    async (couldComeBack) => {
      const name = `hook-stop-${couldComeBack}`;
      const gate = closeGate(name);
      const kept = newStorage();
      const chat = await Chat.open(couldComeBack ? { reconnectOnMount: () => kept.page() } : {});
      const submitted = chat.submit(says(`count to 6 at gate ${name} before 3`));
      await gate.reached;
      await chat.until(() => chat.lines.at(-1) === 'ai: 1 2');
      await chat.stream.stop();
      await submitted;
      const threadId = chat.threadId ?? '';
      const [{ run_id }] = await server.ada.ok('GET', `/threads/${threadId}/runs`);
      expect(await server.ada.ended(threadId, run_id)).toMatchObject({ status: 'interrupted' });
      expect(kept.entries.size).toBe(0);
    },
  );

  it('returns to its run after a reload, and shows all of it', async () => {
    const kept = newStorage();
    const gate = closeGate('hook-reload');
    const page = kept.page();
    const first = await Chat.open({ reconnectOnMount: () => page });
    const submitted = first.stream.submit(says('count to 6 at gate hook-reload before 4'));
    await gate.reached;
    await first.until(() => first.lines.at(-1) === 'ai: 1 2 3');
    const { threadId } = first;
    expect([...kept.entries.keys()]).toEqual([`lg:stream:${threadId}`]);
    page.leave();
    first.close();

    const second = await Chat.open({ reconnectOnMount: () => kept.page(), threadId });
    await second.until(() => second.lines.at(-1) === 'ai: 1 2 3');
    expect(second.stream.isLoading).toBe(true);
    gate.open();
    await second.until(() => !second.stream.isLoading);
    expect(second.lines).toEqual(['human: count to 6 at gate hook-reload before 4', 'ai: 1 2 3 4 5 6']);
    expect(kept.entries.size).toBe(0);
    expect(second.errors).toEqual([]);
    await submitted;
    expect(await server.ada.ok('GET', `/threads/${threadId}/runs`)).toMatchObject([{ status: 'success' }]);
  });

  it('shows why a run failed', async () => {
    const chat = await Chat.open({ assistantId: 'failing' });
    await chat.submit(says('go'));
    expect(chat.lines).toEqual(['human: go', 'ai: So far so good.']);
    expect(chat.errors).toMatchObject([{ name: 'CustomError', message: 'Boo!' }]);
    expect(chat.stream.error).toMatchObject({ message: 'Boo!' });
  });

  it('creates a branch when an earlier message is changed', async () => {
    const chat = await Chat.open({ fetchStateHistory: true });
    await chat.submit(says('one'));
    await chat.submit(says('two'));
    const [, , second] = chat.stream.messages;
    if (!second) throw new Error('There is no second question.');
    const place = chat.stream.getMessagesMetadata(second)?.firstSeenState?.parent_checkpoint;
    await chat.submit(says('other'), { checkpoint: place ?? null });
    expect(chat.lines).toEqual(['human: one', 'ai: You said: one', 'human: other', 'ai: You said: other']);
    const other = chat.stream.messages[2];
    const branches = other && chat.stream.getMessagesMetadata(other)?.branchOptions;
    expect(branches).toHaveLength(2);
    chat.stream.setBranch(branches?.[0] ?? '');
    await chat.until(() => chat.lines[2] === 'human: two');
  });
});
