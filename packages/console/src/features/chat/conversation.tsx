import { ArrowDown } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { useShortcuts } from '../../kit/use-shortcuts.ts';
import { useQueryState } from '../../lib/address.ts';
import { useText } from '../../lib/i18n.ts';
import { ReplaceDialog, type Replacement } from './actions/replace-dialog.tsx';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer/composer.tsx';
import { useDraft } from './composer/use-draft.ts';
import { useUploads } from './composer/use-uploads.ts';
import { ConversationHeader } from './conversation-header.tsx';
import { FilesPanel } from './files-panel.tsx';
import { approvalsIn } from './model/approval.ts';
import type { Draft } from './model/draft-store.ts';
import { titleOf } from './model/thread-order.ts';
import type { Turn } from './model/turn.ts';
import { PendingQuestions } from './turns/pending-questions.tsx';
import { RunNotices } from './turns/run-notices.tsx';
import { TodoList } from './turns/todo-list.tsx';
import { TurnList } from './turns/turn-list.tsx';
import { useAgentChoice } from './use-agent-choice.ts';
import { useConversation } from './use-conversation.ts';
import { useConversationActions } from './use-conversation-actions.ts';
import { useEndOfPage } from './use-end-of-page.ts';
import { useSend } from './use-send.ts';
import { VersionNotice } from './version-notice.tsx';

/** A conversation that exists: what was said, what is being said, and what can be said next. */
export function Conversation({ threadId }: { threadId: string }) {
  const text = useText('chat');
  const [panel, setPanel] = useQueryState('panel');
  const [draft, setDraft] = useDraft(threadId);
  const [choice, setChoice] = useAgentChoice();
  const [wanted, setWanted] = useQueryState('answer');
  const conversation = useConversation(threadId, wanted);
  const { thread, messages, answers, version, turns, news, openRun, isRunning, interrupts, values } =
    conversation;
  const [replacing, setReplacing] = useState<{ kind: Replacement; turn: Turn } | null>(null);
  const { isAway, jump } = useEndOfPage(turns, threadId);
  const { sending, answering, stopping, replace } = useConversationActions(threadId, {
    ...useSend(choice),
    draft,
    version,
    onSent: jump,
    clearDraft: () => setDraft({ text: '', files: [] }),
    onReplaced: () => setReplacing(null),
    onNewest: () => setWanted(null),
  });
  const { uploading, upload } = useUploadsOf(draft, setDraft);
  useShortcuts({ ']': () => setPanel(panel === 'files' ? null : 'files', { push: true }) });
  const last = turns.at(-1);
  const title = (thread.data && titleOf(thread.data)) ?? text('threads.untitled');
  const canSend = version?.checkpoint_id !== null;

  return (
    <>
      <ConversationHeader
        threadId={threadId}
        title={title}
        onFiles={() => setPanel('files', { push: true })}
      />
      <div className="mx-auto flex w-full max-w-[52rem] flex-1 flex-col gap-8 p-4">
        <QueryView query={messages}>
          {() => (
            <TurnList
              threadId={threadId}
              turns={turns}
              answers={answers.data}
              isRunning={isRunning}
              older={messages.hasNextPage ? () => void messages.fetchNextPage() : null}
              onAnswer={canSend ? (words) => sending.mutate(words) : null}
              onReplace={(kind, turn) => setReplacing({ kind, turn })}
              onBranch={version ? null : (turn) => setReplacing({ kind: 'branch', turn })}
              onShow={(runId) => setWanted(runId, { push: true })}
            />
          )}
        </QueryView>
        <TodoList values={values} />
        <PendingQuestions
          interrupts={interrupts}
          approvals={approvalsIn(interrupts)}
          isBusy={answering.isPending}
          onResume={(answer) => answering.mutate(answer)}
        />
        {version ? null : <RunNotices news={news} />}
      </div>
      <div className="sticky bottom-(--foot) z-10 bg-bg pb-3">
        <div className="mx-auto flex w-full max-w-[52rem] flex-col gap-2 px-4">
          {isAway ? <LatestButton onClick={jump} /> : null}
          {version ? (
            <VersionNotice version={version} onNewest={() => setWanted(null, { push: true })} />
          ) : null}
          <Composer
            draft={draft}
            onDraft={setDraft}
            onSend={() => sending.mutate(draft.text)}
            onFiles={(files) => void upload(threadId, files)}
            onEditLast={!isRunning && last?.human ? () => setReplacing({ kind: 'edit', turn: last }) : null}
            onStop={openRun ? () => stopping.mutate(openRun.run_id) : null}
            stopped={openRun ? { threadId, runId: openRun.run_id } : undefined}
            isSending={sending.isPending || !canSend}
            uploading={uploading}
            choice={choice}
            onChoice={setChoice}
          />
        </div>
      </div>
      <Announcer key={version?.run_id} turns={turns} isRunning={isRunning && version === null} />
      <FilesPanel
        threadId={threadId}
        values={values}
        open={panel === 'files'}
        onClose={() => setPanel(null)}
      />
      {replacing ? (
        <ReplaceDialog
          {...replacing}
          isBusy={replace.isPending}
          onClose={() => setReplacing(null)}
          onConfirm={(words) => replace.mutate({ ...replacing, words })}
        />
      ) : null}
    </>
  );
}

/** Files that are put in become part of the message. */
function useUploadsOf({ files }: Draft, setDraft: (change: Partial<Draft>) => void) {
  const onUploaded = useCallback(
    (_thread: string, names: string[]) => setDraft({ files: [...files, ...names] }),
    [files, setDraft],
  );
  return useUploads(onUploaded);
}

function LatestButton({ onClick }: { onClick: () => void }) {
  const text = useText('chat');
  return (
    <Button
      className="self-center"
      icon={<ArrowDown size={16} strokeWidth={1.75} aria-hidden />}
      onClick={onClick}
    >
      {text('latest')}
    </Button>
  );
}
