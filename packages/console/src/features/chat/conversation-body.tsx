import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { cancelRun } from '@switchyard/contract/conversation/runs';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { ReplaceDialog, type Replacement } from './actions/replace-dialog.tsx';
import { branchVersion, copyConversation, goingOnFrom, versionOf } from './actions/rewind.ts';
import { AgentComposer } from './composer/agent-composer.tsx';
import { useAskedFile } from './composer/use-asked-file.ts';
import { useDraft } from './composer/use-draft.ts';
import { useUploads } from './composer/use-uploads.ts';
import { offersAt } from './model/aside.ts';
import type { Draft } from './model/draft-store.ts';
import { taskCardOf } from './model/task-card.ts';
import type { Turn } from './model/turn.ts';
import { PendingQuestions } from './turns/pending-questions.tsx';
import { RunNotices } from './turns/run-notices.tsx';
import { StateCard } from './turns/state-card.tsx';
import { TodoList } from './turns/todo-list.tsx';
import { TurnList } from './turns/turn-list.tsx';
import { useAgentOfThread } from './use-agent-choice.ts';
import type { Conversing } from './use-conversation.ts';
import { useEndOfPage } from './use-end-of-page.ts';
import { useNavigation } from './use-navigation.ts';
import { type Sending, useSend } from './use-send.ts';

interface ConversationBodyProps {
  threadId: string;
  conversation: Conversing;
  /** Stands in a panel beside another conversation and scrolls by itself; otherwise the page scrolls. */
  inPanel: boolean;
  /** An aside has no branches. */
  canBranch: boolean;
  /** The content above the first turn. */
  top: ReactNode;
  field?: RefObject<HTMLTextAreaElement | null> | undefined;
  /** Shows the conversation with this run; null shows the newest. */
  onShow: (runId: string | null, step?: { push?: boolean }) => void;
  /** Begins an aside at an answer; null where there are none. */
  onAside: ((turn: Turn) => void) | null;
}

/** The turns of a conversation, with the one in progress, and the field for the next message. */
export function ConversationBody(props: ConversationBodyProps) {
  const { threadId, conversation, inPanel, top, field, onShow, onAside } = props;
  const text = useText('chat');
  const box = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useDraft(threadId);
  const agent = useAgentOfThread(threadId);
  const { messages, answers, version, turns, news, openRun, isRunning, isTalk, isAsked, interrupts, values } =
    conversation;
  const [replacing, setReplacing] = useState<{ kind: Replacement; turn: Turn } | null>(null);
  const { isAway, jump, keepEnd } = useEndOfPage({ conversation: threadId, box: inPanel ? box : null });
  const actions = useConversationActions(threadId, {
    ...useSend(agent),
    draft,
    version,
    onSent: jump,
    clearDraft: () => setDraft({ text: '', files: [] }),
    onReplaced: () => setReplacing(null),
    onNewest: () => onShow(null),
  });
  const { uploading, upload } = useUploadsOf(draft, setDraft);
  useAskedFile(inPanel ? null : (file) => void upload(threadId, [file]));
  const last = turns.at(-1);
  const canSend = version?.checkpoint_id !== null;
  // A question of its own form is answered below; what was just sent has no run yet.
  const isAwaited = isAsked || actions.isBeginning || actions.isAnswering;
  const offers = offersAt(last, { version, canBranch: props.canBranch });

  return (
    <div
      ref={box}
      className={inPanel ? 'flex h-full flex-col overflow-y-auto [--foot:0px]' : 'flex flex-1 flex-col'}
    >
      <div className="mx-auto flex w-full max-w-[52rem] flex-1 flex-col gap-8 p-4">
        {top}
        <QueryView query={messages}>
          {() => (
            <TurnList
              threadId={threadId}
              turns={turns}
              answers={answers.data}
              isRunning={isRunning}
              older={messages.hasNextPage ? () => void messages.fetchNextPage() : null}
              onAnswer={canSend && !isAwaited ? (words) => actions.say(words) : null}
              onReplace={(kind, turn) => setReplacing({ kind, turn })}
              onBranch={offers.branch ? (turn) => setReplacing({ kind: 'branch', turn }) : null}
              onAside={offers.aside ? onAside : null}
              onShow={(runId) => onShow(runId, { push: true })}
              onDrawn={keepEnd}
            />
          )}
        </QueryView>
        <TodoList values={values} />
        <StateCard values={values} isTalk={isTalk} />
        <PendingQuestions
          key={conversation.lastRun?.run_id}
          interrupts={interrupts}
          next={conversation.next}
          isBusy={actions.isAnswering}
          onAnswer={actions.answer}
        />
        {version ? null : <RunNotices news={news} />}
      </div>
      <div className={`sticky bottom-(--foot) z-10 pb-3 short:static ${inPanel ? 'bg-surface' : 'bg-bg'}`}>
        <div className="mx-auto flex w-full max-w-[52rem] flex-col gap-2 px-4">
          {isAway ? <LatestButton onClick={jump} /> : null}
          {version ? <VersionNotice version={version} onNewest={() => onShow(null, { push: true })} /> : null}
          <AgentComposer
            agent={agent}
            isFollowUp={turns.length > 0}
            label={text(inPanel ? 'aside.write' : 'composer.label')}
            field={field}
            draft={draft}
            onDraft={setDraft}
            onSend={(more) => actions.say(draft.text, more)}
            onRun={actions.begin}
            onFiles={(files) => void upload(threadId, files)}
            onEditLast={!isRunning && last?.human ? () => setReplacing({ kind: 'edit', turn: last }) : null}
            onStop={openRun ? () => actions.stop(openRun.run_id) : null}
            stopped={openRun ? { threadId, runId: openRun.run_id } : undefined}
            isSending={actions.isBeginning || !canSend}
            uploading={uploading}
          />
        </div>
      </div>
      <Announcer key={version?.run_id} turns={turns} isRunning={isRunning && version === null} />
      {replacing ? (
        <ReplaceDialog
          {...replacing}
          isBusy={actions.isReplacing}
          onClose={() => setReplacing(null)}
          onConfirm={(words) => actions.replace(replacing.kind, replacing.turn, words)}
        />
      ) : null}
    </div>
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

/** Says that an older version is read, and where the next message would go. */
function VersionNotice({ version, onNewest }: { version: AnswerVersion; onNewest: () => void }) {
  const text = useText('chat');
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-card border border-border bg-sunken px-3 py-2 text-body">
      <p role="status" className="min-w-0 flex-1 basis-60">
        {text(version.checkpoint_id === null ? 'versions.readOnly' : 'versions.reading')}
      </p>
      <Button size="s" onClick={onNewest}>
        {text('versions.newest')}
      </Button>
    </div>
  );
}

/** Tells a screen reader once that a reply is finished. Its text is not read out while it is streamed. */
function Announcer({ turns, isRunning }: { turns: readonly Turn[]; isRunning: boolean }) {
  const text = useText('chat');
  const [words, setWords] = useState('');
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      const parts = turns.at(-1)?.parts ?? [];
      const files = parts.reduce(
        (sum, part) => sum + (part.kind === 'tool' ? taskCardOf(part).files.length : 0),
        0,
      );
      setWords(text('announce.finished', { count: files }));
    }
    wasRunning.current = isRunning;
  }, [isRunning, turns, text]);
  return (
    <p role="status" className="sr-only">
      {isRunning ? '' : words}
    </p>
  );
}

interface ConversationActionsOptions extends Sending {
  draft: Draft;
  /** The older version that is shown; null while the newest one is. */
  version: AnswerVersion | null;
  onSent: () => void;
  clearDraft: () => void;
  onReplaced: () => void;
  /** Shows the newest conversation, which a new run is part of. */
  onNewest: () => void;
}

/** Returns the actions of a conversation. Each failure is shown, and the draft stays. */
function useConversationActions(threadId: string, options: ConversationActionsOptions) {
  const { send, run, resume, draft, version, onSent, clearDraft, onReplaced, onNewest } = options;
  const openPage = useNavigation();
  const { act: begin, isBusy: isBeginning } = useAct();
  const { act: stopping } = useAct();
  const { act: answering, isBusy: isAnswering } = useAct();
  const { act: replacing, isBusy: isReplacing } = useAct();
  const onBegun = () => {
    onNewest();
    onSent();
  };
  return {
    isBeginning,
    isAnswering,
    isReplacing,
    say: (words: string, more?: RunCreate) =>
      void begin(() => send(threadId, { text: words, files: draft.files }, { ...more, ...from(version) }), {
        onDone: () => {
          if (words === draft.text) clearDraft();
          onBegun();
        },
      }),
    begin: (input: unknown, more: RunCreate) =>
      void begin(() => run(threadId, input, { ...more, ...from(version) }), { onDone: onBegun }),
    answer: (given: RunCreate) => void answering(() => resume(threadId, given)),
    stop: (runId: string) =>
      void stopping(() =>
        gateway.call(cancelRun, { params: { thread_id: threadId, run_id: runId }, query: {} }),
      ),
    replace: (kind: Replacement, turn: Turn, words: string) =>
      void replacing(
        async () => {
          if (kind === 'branch') {
            const branch = version ? branchVersion(threadId, turn, version) : copyConversation(threadId);
            openPage(`/chat/${await branch}`);
          } else await send(threadId, { text: words, files: [] }, await versionOf(threadId, turn.runId));
        },
        {
          onDone: () => {
            if (kind !== 'branch') onNewest();
            onReplaced();
          },
        },
      ),
  };
}

/** Returns the point at which a run continues while an older version is shown. */
function from(version: AnswerVersion | null): RunCreate {
  return version ? goingOnFrom(version) : {};
}
