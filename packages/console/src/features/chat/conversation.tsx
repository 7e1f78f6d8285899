import { useShortcuts } from '../../kit/use-shortcuts.ts';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { useText } from '../../lib/i18n.ts';
import { AsideNote } from './asides/aside-note.tsx';
import { AsidePanel } from './asides/aside-panel.tsx';
import { useAsides } from './asides/use-asides.ts';
import { ConversationBody } from './conversation-body.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { FilesPanel } from './files-panel.tsx';
import { isAside, originOf } from './model/aside.ts';
import { titleOf } from './model/thread-order.ts';
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
