import { deleteThread, patchThread } from '@switchyard/contract/conversation/threads';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleDot, CirclePause, PanelRight, Pin, Plus } from 'lucide-react';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { SearchInput } from '../../../kit/forms/search-input.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { Menu } from '../../../kit/menu.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { RowLink } from '../../../kit/rows/row-link.tsx';
import { rowMarks, rowRing } from '../../../kit/rows/row-marks.ts';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { toastMs, useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { type ListedThread, threadPagesQuery } from '../../../lib/data/threads.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { isPinned, shownThreads, threadTitle } from '../model/thread-order.ts';
import { PendingRemovals } from './pending-removals.ts';

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
            isBusy={all.isFetchingNextPage}
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

/** A conversation in the list, with its state and what can be done with it. */
function ThreadRow({
  thread,
  isCurrent,
  onDelete,
}: {
  thread: ListedThread;
  isCurrent: boolean;
  onDelete: () => void;
}) {
  const text = useText('chat');
  const { act } = useAct();
  const [isRenaming, setRenaming] = useState(false);
  const title = threadTitle(thread) ?? text('threads.untitled');
  const pinned = isPinned(thread);
  const pin = () =>
    void act(
      () =>
        gateway.call(patchThread, {
          params: { thread_id: thread.thread_id },
          body: { metadata: { pinned: !pinned } },
        }),
      { refresh: [keys.threadPages] },
    );
  const isUnread = thread.unread && !isCurrent;
  return (
    <li
      {...rowMarks(thread.thread_id)}
      className={`group flex items-center rounded-control aria-current:bg-sunken hover:bg-sunken ${rowRing}`}
      aria-current={isCurrent || undefined}
    >
      <RowLink
        href={`/chat/${thread.thread_id}`}
        command={`switchyard threads show ${thread.thread_id}`}
        aria-current={isCurrent ? 'page' : undefined}
        className={`flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-control px-2 -outline-offset-2! text-body forced-colors:aria-[current=page]:underline pointer-coarse:min-h-11 ${isUnread ? 'font-semibold' : ''}`}
      >
        <Mark thread={thread} isUnread={isUnread} />
        <span className="min-w-0 truncate">{title}</span>
        {pinned ? (
          <Pin
            size={16}
            strokeWidth={1.75}
            role="img"
            aria-label={text('threads.pinned')}
            className="ml-auto shrink-0 text-text-3"
          />
        ) : null}
      </RowLink>
      <Menu
        label={text('threads.menu', { title })}
        items={[
          { label: text('threads.rename'), onSelect: () => setRenaming(true) },
          { label: text(pinned ? 'threads.unpin' : 'threads.pin'), onSelect: pin },
          {
            label: text('threads.delete'),
            command: `switchyard threads delete ${thread.thread_id}`,
            danger: true,
            separated: true,
            onSelect: onDelete,
          },
        ]}
      />
      {isRenaming ? (
        <RenameDialog threadId={thread.thread_id} title={title} onClose={() => setRenaming(false)} />
      ) : null}
    </li>
  );
}

function Mark({ thread: { status }, isUnread }: { thread: ListedThread; isUnread: boolean }) {
  const text = useText('chat');
  const icon = { size: 16, strokeWidth: 1.75, role: 'img' } as const;
  if (status === 'busy')
    return <CircleDot {...icon} aria-label={text('threads.busy')} className="shrink-0 text-running" />;
  if (status === 'interrupted') {
    return <CirclePause {...icon} aria-label={text('threads.asks')} className="shrink-0 text-waiting" />;
  }
  return isUnread ? (
    <span
      role="img"
      aria-label={text('threads.unread')}
      className="mx-1 size-2 shrink-0 rounded-full bg-accent forced-colors:bg-[Highlight]"
    />
  ) : null;
}

function RenameDialog({
  threadId,
  title,
  onClose,
}: {
  threadId: string;
  title: string;
  onClose: () => void;
}) {
  const text = useText('chat');
  const words = useGatewayWords();
  const cache = useQueryClient();
  const [name, setName] = useState(title);
  const rename = useMutation({
    mutationFn: () =>
      gateway.call(patchThread, { params: { thread_id: threadId }, body: { title: name.trim() } }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keys.threads });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('threads.rename')}
      actions={
        <>
          <Button onClick={onClose}>{text('threads.keepName')}</Button>
          <Button
            variant="solid"
            isBusy={rename.isPending}
            disabled={name.trim() === ''}
            onClick={() => rename.mutate()}
          >
            {text('threads.rename')}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') rename.mutate();
        }}
      >
        <Field label={text('threads.name')} error={rename.error ? words.error(rename.error) : undefined}>
          <TextInput value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  );
}
