import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { keys } from '../../../lib/data/keys.ts';
import { useText } from '../../../lib/i18n.ts';
import { beginAside } from '../actions/aside.ts';
import { subjectOf } from '../model/aside.ts';
import type { Turn } from '../model/turn.ts';

/** The aside that the address names, and how another one begins, also at an answer of an older version. */
export function useAsides(threadId: string, title: string | null, version: AnswerVersion | null) {
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
