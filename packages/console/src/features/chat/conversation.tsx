import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
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
import { useConversation } from './use-conversation.ts';

/** The page of a conversation that exists. */
export function Conversation({ threadId }: { threadId: string }) {
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
