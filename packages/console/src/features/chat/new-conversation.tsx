import type { RunCreate } from '@switchyard/contract/conversation/run';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { modelsQuery } from '../../lib/data/models.ts';
import { useText } from '../../lib/i18n.ts';
import { uploadToThread } from '../../lib/thread-files.ts';
import { AgentComposer } from './composer/agent-composer.tsx';
import { useAskedFile } from './composer/use-asked-file.ts';
import { useDraft } from './composer/use-draft.ts';
import { withName } from './composer/use-uploads.ts';
import { ConversationHeader } from './conversation-header.tsx';
import { ThreadList } from './threads/thread-list.tsx';
import { useAgentChoice } from './use-agent-choice.ts';
import { useNavigation } from './use-navigation.ts';
import { newThread, useSend } from './use-send.ts';

const examples = ['example.picture', 'example.instances', 'example.abilities'] as const;

/** A message, or the input of a graph that takes none. */
interface Beginning {
  said?: string;
  input?: unknown;
  more?: RunCreate;
}

/** The place where a conversation begins. Its first message makes the thread, and takes along the files that were put in. */
export function NewConversation() {
  const text = useText('chat');
  const { act, isBusy } = useAct();
  const openPage = useNavigation();
  const [{ text: words }, setDraft] = useDraft('new');
  const [files, setFiles] = useState<readonly File[]>([]);
  const names = files.map(({ name }) => name);
  useAskedFile((file) => setFiles((before) => withFiles(before, [file])));
  // The next try after a refused file or message goes on in the thread that the first one has made.
  const thread = useRef<string>(undefined);
  const agent = useAgentChoice();
  const { graph, choice } = agent;
  const { send, run } = useSend(agent);
  const isDemo = useQuery(modelsQuery()).data?.models[0]?.simulated === true;
  const begun = async ({ said, input, more = {} }: Beginning) => {
    thread.current ??= await newThread((await agent.requests()).asked);
    const threadId = thread.current;
    if (said === undefined) {
      await run(threadId, input, more);
      return threadId;
    }
    const kept = files.length > 0 ? await uploadToThread(threadId, files) : [];
    await send(threadId, { text: said, files: kept.map(({ filename }) => filename) }, more);
    return threadId;
  };
  const begin = (beginning: Beginning) =>
    void act(() => begun(beginning), {
      onDone: (threadId) => {
        setDraft({ text: '', files: [] });
        openPage(`/chat/${threadId}`);
      },
    });
  return (
    <>
      <ConversationHeader threadId={null} title={text('threads.new')} onFiles={null} />
      <div className="mx-auto flex w-full max-w-[52rem] flex-1 flex-col justify-end gap-6 p-4 md:justify-center">
        <div className="flex flex-1 flex-col md:hidden">
          <ThreadList current={null} />
        </div>
        <div className="flex flex-col gap-2">
          <p className="text-title font-semibold">
            {choice.agent === null ? text('first.title') : (graph?.named ?? choice.agent)}
          </p>
          <p className="text-lead text-text-2">
            {choice.agent === null ? text('first.lead') : (graph?.description ?? text('first.graph'))}
          </p>
          {isDemo && graph === null ? (
            <p className="self-start rounded-full border border-border px-2 py-0.5 text-meta text-text-2">
              {text('demo')}
            </p>
          ) : null}
          {choice.agent === null ? (
            <ul className="flex flex-wrap gap-2">
              {examples.map((example) => (
                <li key={example}>
                  <Button isBusy={isBusy} onClick={() => begin({ said: text(example) })}>
                    {text(example)}
                  </Button>
                </li>
              ))}
            </ul>
          ) : null}
        </div>
        {/* A long list of conversations passes below it; a form is long itself. */}
        <div
          className={
            graph === null
              ? 'bg-bg max-md:sticky max-md:bottom-(--foot) short:static max-md:z-10 max-md:pb-3'
              : 'flex flex-col gap-2 bg-bg max-md:pb-3'
          }
        >
          <AgentComposer
            agent={agent}
            isFollowUp={false}
            label={text('composer.label')}
            draft={{ text: words, files: isBusy ? [] : names }}
            onDraft={({ text: typed, files: kept }) => {
              if (typed !== undefined) setDraft({ text: typed });
              if (kept) setFiles(files.filter(({ name }) => kept.includes(name)));
            }}
            onSend={(more) => begin({ said: words, more })}
            onRun={(input, more) => begin({ input, more })}
            onFiles={(given) => setFiles(withFiles(files, given.map(withName)))}
            onEditLast={null}
            onStop={null}
            isSending={isBusy}
            uploading={isBusy ? names : []}
          />
        </div>
      </div>
    </>
  );
}

/** A file takes the place of an earlier one with its name, as it does in a thread. */
function withFiles(files: readonly File[], more: readonly File[]): File[] {
  const names = more.map(({ name }) => name);
  return [...files.filter(({ name }) => !names.includes(name)), ...more];
}
