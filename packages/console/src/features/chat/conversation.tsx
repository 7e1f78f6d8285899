import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../kit/toast.tsx';
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
import { titleOf } from './model/thread-order.ts';
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
  const title = thread.data ? titleOf(thread.data) : null;
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
        onAside={beside || begin.isPending ? null : (turn) => begin.mutate(turn)}
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

/** The aside that the address names, and how another one begins, also at an answer of an older version. */
function useAsides(threadId: string, title: string | null, version: AnswerVersion | null) {
  const text = useText('chat');
  const toast = useToast();
  const cache = useQueryClient();
  const [asideId] = useQueryState('aside');
  const begin = useMutation({
    mutationFn: (turn: Turn) => {
      const subject = subjectOf(turn, title);
      return beginAside(threadId, {
        messageId: turn.answerId ?? '',
        title: subject === null ? text('aside.title') : text('aside.named', { subject }),
        runId: version?.run_id,
      });
    },
    onSuccess: (made) => {
      void cache.invalidateQueries({ queryKey: keys.threadPages });
      setQuery({ aside: made, 'aside-answer': null, panel: null }, { push: true });
    },
    onError: (error) => toast({ error }),
  });
  return { asideId, begin };
}
