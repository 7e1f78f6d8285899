import { useMessageMetadata, useStream } from '@langchain/react';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A chat that somebody else could have written: today's hook, nothing of ours. */

interface State extends Record<string, unknown> {
  messages: { id?: string; type: string; content: unknown }[];
}

/** The hook starts again with other headers, so they are one object for all renderings. */
const defaultHeaders = { 'x-csrf-token': /(?:^|; )csrf_token=([^;]*)/.exec(document.cookie)?.[1] ?? '' };

function useThreadId(): [string | null, (id: string) => void] {
  const [threadId, setThreadId] = useState(() => new URL(location.href).searchParams.get('thread'));
  const follow = (id: string): void => {
    setThreadId(id);
    history.replaceState(null, '', `?thread=${id}`);
  };
  return [threadId, follow];
}

function useChat(threadId: string | null, onThreadId: (id: string) => void) {
  return useStream<State>({
    apiUrl: `${location.origin}/api/langgraph`,
    assistantId: 'talk',
    defaultHeaders,
    threadId,
    onThreadId,
  } as never);
}

type Chat = ReturnType<typeof useChat>;

function Message({
  chat,
  id,
  line,
  onAgain,
}: {
  chat: Chat;
  id: string;
  line: string;
  onAgain: (from: string) => void;
}) {
  const metadata = useMessageMetadata(chat, id);
  const from = metadata?.parentCheckpointId;
  return (
    <li>
      <span className="line">{line}</span>
      {from !== undefined && line.startsWith('human') && (
        <button type="button" onClick={() => onAgain(from)}>
          Go on from before
        </button>
      )}
    </li>
  );
}

function Conversation({
  name,
  threadId,
  onThreadId,
}: {
  name: string;
  threadId: string | null;
  onThreadId: (id: string) => void;
}) {
  const chat = useChat(threadId, onThreadId);
  const [text, setText] = useState('');
  const say = (options: object = {}): void => {
    setText('');
    void chat.submit({ messages: [{ type: 'human', content: text }] } as never, options as never);
  };
  useEffect(() => {
    document.body.dataset[name] = chat.isThreadLoading ? 'loading' : 'ready';
  }, [name, chat.isThreadLoading]);
  return (
    <section aria-label={name}>
      <ol>
        {chat.messages.map((message) => (
          <Message
            key={message.id}
            chat={chat}
            id={message.id ?? ''}
            line={`${message.type}: ${message.text}`}
            onAgain={(forkFrom) => say({ forkFrom })}
          />
        ))}
      </ol>
      <output>{chat.isLoading ? 'working' : 'idle'}</output>
      {chat.error !== undefined && <p role="alert">{String(chat.error)}</p>}
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button type="button" onClick={() => say()}>
        Send
      </button>
      <button type="button" onClick={() => say({ multitaskStrategy: 'enqueue' })}>
        Send later
      </button>
      <button type="button" onClick={() => void chat.stop()}>
        Stop
      </button>
      {chat.interrupts.map(({ id, value }) => (
        <div key={id} role="dialog" aria-label="Question">
          <p>{JSON.stringify(value)}</p>
          <button type="button" onClick={() => void chat.respond('yes', { interruptId: id as string })}>
            Yes
          </button>
        </div>
      ))}
    </section>
  );
}

function Page() {
  const [threadId, follow] = useThreadId();
  const isDouble = new URL(location.href).searchParams.has('double');
  return (
    <main>
      <Conversation name="chat" threadId={threadId} onThreadId={follow} />
      {isDouble && threadId !== null && (
        <Conversation name="second" threadId={threadId} onThreadId={follow} />
      )}
    </main>
  );
}

const root = document.createElement('div');
document.body.append(root);
createRoot(root).render(<Page />);
