import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { useToast } from '../../kit/toast.tsx';
import { modelsQuery } from '../../lib/data/models.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { Composer } from './composer/composer.tsx';
import { useDraft } from './composer/use-draft.ts';
import { useUploads } from './composer/use-uploads.ts';
import { ConversationHeader } from './conversation-header.tsx';
import { moveDraft } from './move-draft.ts';
import { ThreadList } from './threads/thread-list.tsx';
import { useAgentChoice } from './use-agent-choice.ts';
import { useNavigation } from './use-navigation.ts';
import { newThread, useSend } from './use-send.ts';

const examples = ['example.picture', 'example.instances', 'example.abilities'] as const;

/** The place where a conversation begins. Its first message, or its first file, makes the thread. */
export function NewConversation() {
  const text = useText('chat');
  const toast = useToast();
  const openPage = useNavigation();
  const { id: accountId } = useSession();
  const [draft, setDraft] = useDraft('new');
  const [choice, setChoice] = useAgentChoice();
  const { send } = useSend(choice);
  const isDemo = useQuery(modelsQuery()).data?.models[0]?.simulated === true;
  const onError = (error: Error) => toast({ error });
  const begin = useMutation({
    mutationFn: async (words: string) => {
      const threadId = await newThread();
      await send(threadId, { text: words, files: [] });
      return threadId;
    },
    onSuccess: (threadId) => {
      setDraft({ text: '', files: [] });
      openPage(`/chat/${threadId}`);
    },
    onError,
  });
  const { uploading, upload } = useUploads((threadId, names) => {
    moveDraft(accountId, { text: draft.text, files: names }, threadId);
    openPage(`/chat/${threadId}`);
  });
  const onFiles = (files: File[]) => {
    newThread()
      .then((threadId) => upload(threadId, files))
      .catch(onError);
  };
  return (
    <>
      <ConversationHeader threadId={null} title={text('threads.new')} onFiles={null} />
      <div className="mx-auto flex w-full max-w-[52rem] flex-1 flex-col justify-end gap-6 p-4 md:justify-center">
        <div className="flex flex-1 flex-col md:hidden">
          <ThreadList current={null} />
        </div>
        <div className="flex flex-col gap-2">
          <p className="text-title font-semibold">{text('first.title')}</p>
          <p className="text-lead text-text-2">{text('first.lead')}</p>
          {isDemo ? (
            <p className="self-start rounded-full border border-border px-2 py-0.5 text-meta text-text-2">
              {text('demo')}
            </p>
          ) : null}
          <ul className="flex flex-wrap gap-2">
            {examples.map((example) => (
              <li key={example}>
                <Button disabled={begin.isPending} onClick={() => begin.mutate(text(example))}>
                  {text(example)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
        {/* A long list of conversations passes below it. */}
        <div className="bg-bg max-md:sticky max-md:bottom-(--foot) short:static max-md:z-10 max-md:pb-3">
          <Composer
            label={text('composer.label')}
            draft={draft}
            onDraft={setDraft}
            onSend={() => begin.mutate(draft.text)}
            onFiles={onFiles}
            onEditLast={null}
            onStop={null}
            isSending={begin.isPending}
            uploading={uploading}
            choice={choice}
            onChoice={setChoice}
          />
        </div>
      </div>
    </>
  );
}
