import { useInfiniteQuery } from '@tanstack/react-query';
import { PanelRight, Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { threadPagesQuery } from '../../../lib/data/threads.ts';
import { useText } from '../../../lib/i18n.ts';
import { useSettled } from '../../../lib/use-settled.ts';
import { shownThreads } from '../model/thread-order.ts';
import { ThreadRow } from './thread-row.tsx';
import { useDeletedThreads } from './use-deleted-threads.ts';

const typingPauseMs = 250;

/** The conversations of the user: pinned ones first, then the last changed. */
export function ThreadList({ current }: { current: string | null }) {
  const text = useText('chat');
  const [search, setSearch] = useState('');
  const q = useSettled(search.trim(), typingPauseMs);
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
      <div className="relative">
        <Search
          size={16}
          strokeWidth={1.75}
          aria-hidden
          className="absolute inset-y-0 left-2 my-auto text-text-3"
        />
        <TextInput
          type="search"
          aria-label={text('threads.search')}
          placeholder={text('threads.search')}
          className="pl-8"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
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
                action={<Button onClick={() => setSearch('')}>{text('threads.clear')}</Button>}
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
