import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { cancelRun } from '@switchyard/contract/conversation/runs';
import { useAct } from '../../kit/forms/use-act.ts';
import { gateway } from '../../lib/gateway.ts';
import type { Replacement } from './actions/replace-dialog.tsx';
import { branchVersion, copyConversation, goingOnFrom, versionOf } from './actions/rewind.ts';
import type { Draft } from './model/draft-store.ts';
import type { Turn } from './model/turn.ts';
import { useNavigation } from './use-navigation.ts';
import type { Sending } from './use-send.ts';

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

/** What can be done in a conversation. Each failure is told, and the draft stays. */
export function useConversationActions(threadId: string, options: ConversationActionsOptions) {
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

/** Where a run goes on while an older version is shown. */
function from(version: AnswerVersion | null): RunCreate {
  return version ? goingOnFrom(version) : {};
}
