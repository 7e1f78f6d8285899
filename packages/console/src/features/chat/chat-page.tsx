import { useParams } from 'wouter';
import { Conversation } from './conversation.tsx';
import { NewConversation } from './new-conversation.tsx';
import { ThreadList } from './threads/thread-list.tsx';

/** Conversations with agents: the list, and the one that is open. */
export function ChatPage() {
  const { threadId } = useParams();
  const current = threadId ?? null;
  return (
    <div className="flex min-h-[calc(100dvh-var(--bar,0px)-var(--foot,0px))]">
      <aside className="sticky top-(--bar,0px) h-[calc(100dvh-var(--bar,0px))] shrink-0 flex-col border-r border-border p-3 md:flex md:w-64 max-md:hidden">
        <ThreadList current={current} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        {current === null ? <NewConversation /> : <Conversation key={current} threadId={current} />}
      </div>
    </div>
  );
}
