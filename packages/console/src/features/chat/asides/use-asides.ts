import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { keys } from '../../../lib/data/keys.ts';
import { useText } from '../../../lib/i18n.ts';
import { beginAside } from '../actions/aside.ts';
import type { Turn } from '../model/turn.ts';

/** The aside that the address names, and how another one begins, also at an answer of an older version. */
export function useAsides(threadId: string, title: string, version: AnswerVersion | null) {
  const text = useText('chat');
  const toast = useToast();
  const cache = useQueryClient();
  const [asideId] = useQueryState('aside');
  const begin = useMutation({
    mutationFn: ({ answerId }: Turn) =>
      beginAside(threadId, {
        messageId: answerId ?? '',
        title: text('aside.named', { title }),
        runId: version?.run_id,
      }),
    onSuccess: (made) => {
      void cache.invalidateQueries({ queryKey: keys.threadPages });
      setQuery({ aside: made, 'aside-answer': null, panel: null }, { push: true });
    },
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
  });
  return { asideId, begin };
}
