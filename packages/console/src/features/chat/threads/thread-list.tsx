import { deleteThread } from '@switchyard/contract/conversation/threads';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { PanelRight, Plus } from 'lucide-react';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { SearchInput } from '../../../kit/forms/search-input.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { toastMs, useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { type ListedThread, threadPagesQuery } from '../../../lib/data/threads.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { shownThreads, threadTitle } from '../model/thread-order.ts';
import { PendingRemovals } from './pending-removals.ts';
import { ThreadRow } from './thread-row.tsx';

/** The conversations of the user: pinned ones first, then the last changed. */
export function ThreadList({ current }: { current: string | null }) {
  const text = useText('chat');
  const [q, setQ] = useState('');
  const [asides, setAsides] = useState(false);
  const filter = { ...(asides && { aside: true }), ...(q !== '' && { q }) };
  const pinned = useInfiniteQuery(threadPagesQuery({ pinned: true, ...filter }));
  const all = useInfiniteQuery(threadPagesQuery(filter));
  const { isDeleted, remove } = useDeletedThreads();
  const threads = shownThreads(pinned.data?.pages.flat() ?? [], all.data?.pages.flat() ?? [], {
    isDeleted,
    asides,
  });
  return (
    <nav aria-label={text('threads.label')} className="flex min-h-0 flex-1 flex-col gap-2">
      <LinkButton href="/chat" variant="quiet" icon={<Plus size={16} strokeWidth={1.75} aria-hidden />}>
        {text('threads.new')}
      </LinkButton>
      <SearchInput label={text('threads.search')} value={q} onChange={setQ} className="w-full" />
      <Button
        size="s"
        variant={asides ? 'quiet' : 'plain'}
        aria-pressed={asides}
        className="self-start"
        icon={<PanelRight size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => setAsides(!asides)}
      >
        {text('threads.asides')}
      </Button>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <QueryView
          query={all}
          isEmpty={() => threads.length === 0 && !all.hasNextPage}
          first={
            <p className="p-2 text-body text-text-2">{text(asides ? 'threads.noAsides' : 'threads.first')}</p>
          }
          filtered={
            q === '' ? undefined : (
              <EmptyState
                title={text('threads.none', { search: q })}
                action={<Button onClick={() => setQ('')}>{text('threads.clear')}</Button>}
              />
            )
          }
        >
          {() => (
            <ul className="flex flex-col">
              {threads.map((thread) => (
                <ThreadRow
                  key={thread.thread_id}
                  thread={thread}
                  isCurrent={thread.thread_id === current}
                  onDelete={() => remove(thread)}
                />
              ))}
            </ul>
          )}
        </QueryView>
        {all.hasNextPage ? (
          <Button
            variant="plain"
            size="s"
            disabled={all.isFetchingNextPage}
            onClick={() => void all.fetchNextPage()}
          >
            {text('threads.older')}
          </Button>
        ) : null}
      </div>
    </nav>
  );
}

const removals = new PendingRemovals({
  remove: async (threadId) => {
    await gateway.call(deleteThread, { params: { thread_id: threadId } });
  },
  afterMs: toastMs,
});
// A page that is closed has no time left to wait for an undo.
window.addEventListener('pagehide', () => removals.finish());

/** Deletes threads after the time in which that can be undone: the gateway cannot bring one back. */
function useDeletedThreads() {
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
