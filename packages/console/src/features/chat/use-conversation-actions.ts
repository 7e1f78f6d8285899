import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { cancelRun } from '@switchyard/contract/conversation/runs';
import { useMutation } from '@tanstack/react-query';
import { useToast } from '../../kit/toast.tsx';
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
  const toast = useToast();
  const openPage = useNavigation();
  const onError = (error: Error) => toast({ error });
  const sending = useMutation({
    mutationFn: async ({ words, more }: { words: string; more?: RunCreate }) =>
      send(threadId, { text: words, files: draft.files }, { ...more, ...from(version) }),
    onSuccess: (_done, { words }) => {
      if (words === draft.text) clearDraft();
      onNewest();
      onSent();
    },
    onError,
  });
  const running = useMutation({
    mutationFn: async ({ input, more }: { input: unknown; more: RunCreate }) =>
      run(threadId, input, { ...more, ...from(version) }),
    onSuccess: () => {
      onNewest();
      onSent();
    },
    onError,
  });
  const answering = useMutation({ mutationFn: (answer: RunCreate) => resume(threadId, answer), onError });
  const stopping = useMutation({
    mutationFn: (runId: string) =>
      gateway.call(cancelRun, { params: { thread_id: threadId, run_id: runId }, query: {} }),
    onError,
  });
  const replace = useMutation({
    mutationFn: async ({ kind, turn, words }: { kind: Replacement; turn: Turn; words: string }) => {
      if (kind === 'branch') {
        const branch = version ? branchVersion(threadId, turn, version) : copyConversation(threadId);
        openPage(`/chat/${await branch}`);
      } else await send(threadId, { text: words, files: [] }, await versionOf(threadId, turn.runId));
    },
    onSuccess: (_done, { kind }) => {
      if (kind !== 'branch') onNewest();
      onReplaced();
    },
    onError,
  });
  return { sending, running, answering, stopping, replace };
}

/** Where a run goes on while an older version is shown. */
function from(version: AnswerVersion | null): RunCreate {
  return version ? goingOnFrom(version) : {};
}
