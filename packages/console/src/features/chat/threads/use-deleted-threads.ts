import { deleteThread } from '@switchyard/contract/conversation/threads';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { toastMs, useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import type { ListedThread } from '../../../lib/data/threads.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { threadTitle } from '../model/thread-order.ts';
import { PendingRemovals } from './pending-removals.ts';

const removals = new PendingRemovals({
  remove: async (threadId) => {
    await gateway.call(deleteThread, { params: { thread_id: threadId } });
  },
  afterMs: toastMs,
});
// A page that is closed has no time left to wait for an undo.
window.addEventListener('pagehide', () => removals.finish());

/** Deletes threads after the time in which that can be undone: the gateway cannot bring one back. */
export function useDeletedThreads() {
  const text = useText('chat');
  const toast = useToast();
  const cache = useQueryClient();
  const deleted = useSyncExternalStore(removals.listen, removals.get);
  const remove = useCallback(
    (thread: ListedThread) => {
      const { thread_id: threadId } = thread;
      removals.add(threadId, {
        onRemoved: () => void cache.invalidateQueries({ queryKey: keys.threads }),
        onFailed: (error) => toast({ error }),
      });
      toast({
        text: text('threads.deleted', { title: threadTitle(thread) ?? text('threads.untitled') }),
        undo: () => removals.undo(threadId),
      });
    },
    [cache, text, toast],
  );
  return { isDeleted: (threadId: string) => deleted.has(threadId), remove };
}
