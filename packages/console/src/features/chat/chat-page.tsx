import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { useParams } from 'wouter';
import { useAct } from '../../kit/forms/use-act.ts';
import { useShortcuts } from '../../kit/use-shortcuts.ts';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { keys } from '../../lib/data/keys.ts';
import { useText } from '../../lib/i18n.ts';
import { beginAside } from './actions/aside.ts';
import { AsideNote } from './asides/aside-note.tsx';
import { AsidePanel } from './asides/aside-panel.tsx';
import { ConversationBody } from './conversation-body.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { FilesPanel } from './files-panel.tsx';
import { isAside, originOf, subjectOf } from './model/aside.ts';
import { threadTitle } from './model/thread-order.ts';
import type { Turn } from './model/turn.ts';
import { NewConversation } from './new-conversation.tsx';
import { ThreadList } from './threads/thread-list.tsx';
import { useConversation } from './use-conversation.ts';

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

/** The page of a conversation that exists. */
function Conversation({ threadId }: { threadId: string }) {
  const text = useText('chat');
  const [panel, setPanel] = useQueryState('panel');
  const [wanted, setWanted] = useQueryState('answer');
  const conversation = useConversation(threadId, wanted);
  const { values, thread } = conversation;
  const files = () => setQuery({ panel: panel === 'files' ? null : 'files', aside: null }, { push: true });
  useShortcuts({ ']': files });
  const title = thread.data ? threadTitle(thread.data) : null;
  const { asideId, begin } = useAsides(threadId, title, conversation.version);
  const beside = thread.data && isAside(thread.data) ? thread.data : null;
  return (
    <>
      <ConversationHeader
        threadId={threadId}
        title={title ?? text('threads.untitled')}
        onFiles={() => setQuery({ panel: 'files', aside: null }, { push: true })}
      />
      <ConversationBody
        threadId={threadId}
        conversation={conversation}
        inPanel={false}
        canBranch={beside === null}
        top={
          beside ? (
            <AsideNote threadId={threadId} origin={originOf(beside)} onOpened={() => undefined} />
          ) : null
        }
        onShow={setWanted}
        onAside={beside ? null : begin}
      />
      <FilesPanel
        threadId={threadId}
        values={values}
        open={panel === 'files'}
        onClose={() => setPanel(null)}
      />
      <AsidePanel asideId={asideId} />
    </>
  );
}

/** The aside that the address names, and how another one begins, also at an answer of an older version; null while one begins. */
function useAsides(threadId: string, title: string | null, version: AnswerVersion | null) {
  const text = useText('chat');
  const { act, isBusy } = useAct();
  const [asideId] = useQueryState('aside');
  const begin = (turn: Turn) => {
    const subject = subjectOf(turn, title);
    const made = {
      messageId: turn.answerId ?? '',
      title: subject === null ? text('aside.title') : text('aside.named', { subject }),
      runId: version?.run_id,
    };
    void act(() => beginAside(threadId, made), {
      refresh: [keys.threadPages],
      onDone: (aside) => setQuery({ aside, 'aside-answer': null, panel: null }, { push: true }),
    });
  };
  return { asideId, begin: isBusy ? null : begin };
}
