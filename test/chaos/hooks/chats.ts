import { useStream as useLegacyStream } from '@langchain/langgraph-sdk/react';
import { useStream } from '@langchain/react';
import type { HookView } from './hook-window.ts';

/** Chats that somebody else could have written: the hooks, with the options that a page gives them, and nothing of ours. */

export interface ChatPlace {
  url: string;
  token: string;
  threadId: string;
}

interface State extends Record<string, unknown> {
  messages: { id?: string; type: string; content: unknown }[];
}

const assistantId = 'talk';
const says = (text: string) => ({ messages: [{ type: 'human', content: text }] });

/** The hook of `@langchain/react`, over the second protocol. */
export function todaysChat({ url, token, threadId }: ChatPlace): () => HookView {
  return () => {
    const chat = useStream<State>({
      apiUrl: `${url}/api/langgraph`,
      apiKey: token,
      assistantId,
      threadId,
    } as never);
    return {
      messages: chat.messages.map(({ id, type, text }) => ({ id: id ?? '', type, text })),
      isLoading: chat.isLoading,
      isThreadLoading: chat.isThreadLoading,
      questions: chat.interrupts.length,
      error: chat.error,
      say: (text) => chat.submit(says(text) as never),
      answer: (value) => chat.respond(value),
    };
  };
}

/** The hook of `@langchain/langgraph-sdk`, over the first protocol. `runs` is the storage of its window, which a reload leaves. */
export function legacyChat({ url, token, threadId }: ChatPlace, runs: Map<string, string>): () => HookView {
  const storage = {
    getItem: (key: string) => runs.get(key) ?? null,
    setItem: (key: string, value: string) => void runs.set(key, value),
    removeItem: (key: string) => void runs.delete(key),
  };
  return () => {
    const chat = useLegacyStream<State>({
      apiUrl: `${url}/api/langgraph`,
      apiKey: token,
      assistantId,
      threadId,
      fetchStateHistory: true,
      reconnectOnMount: () => storage,
    } as never);
    return {
      messages: chat.messages.map(({ id, type, content }) => ({
        id: id ?? '',
        type,
        text: typeof content === 'string' ? content : JSON.stringify(content),
      })),
      isLoading: chat.isLoading,
      isThreadLoading: chat.isThreadLoading,
      questions: [chat.interrupt].flat().filter((question) => question !== undefined).length,
      error: chat.error,
      say: (text) => chat.submit(says(text) as never),
      answer: (value) => chat.submit(undefined, { command: { resume: value } }),
    };
  };
}
