import { type RefObject, useRef } from 'react';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';
import { ConversationBody } from '../conversation-body.tsx';
import { useConversation } from '../use-conversation.ts';
import { useNavigation } from '../use-navigation.ts';
import { AsideNote } from './aside-note.tsx';

/** An aside next to the conversation that it begins in; on a phone it covers that. */
export function AsidePanel({
  asideId,
}: {
  /** The thread of the aside; null while none is open. */
  asideId: string | null;
}) {
  const text = useText('chat');
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <SidePanel
      open={asideId !== null}
      onClose={() => setQuery({ aside: null, 'aside-answer': null }, { push: true })}
      title={text('aside.title')}
      initialFocus={field}
      ownScroll
    >
      {asideId === null ? null : <Aside key={asideId} threadId={asideId} field={field} />}
    </SidePanel>
  );
}

function Aside({ threadId, field }: { threadId: string; field: RefObject<HTMLTextAreaElement | null> }) {
  const [wanted, setWanted] = useQueryState('aside-answer');
  const conversation = useConversation(threadId, wanted);
  const openPage = useNavigation();
  return (
    <ConversationBody
      threadId={threadId}
      conversation={conversation}
      field={field}
      inPanel
      canBranch={false}
      top={<AsideNote threadId={threadId} origin={null} onOpened={() => openPage(`/chat/${threadId}`)} />}
      onShow={setWanted}
      onAside={null}
    />
  );
}
