import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { tasksQuery } from '../../../lib/data/tasks.ts';
import { threadPagesQuery } from '../../../lib/data/threads.ts';
import { workflowsQuery } from '../../../lib/data/workflows.ts';
import { useText } from '../../../lib/i18n.ts';
import { usePageActions } from '../../../lib/page-actions.ts';
import { useHasPage, useVisiblePages } from '../visible-pages.ts';
import { matches, step } from './match.ts';

/** Goes to a page, does what the page can do, and finds tasks, threads and workflows. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const text = useText('app');
  return (
    <Dialog open={open} onClose={onClose} title={text('search.open')}>
      {open && <PaletteList onClose={onClose} />}
    </Dialog>
  );
}

function PaletteList({ onClose }: { onClose: () => void }) {
  const text = useText('app');
  const listId = useId();
  const [query, setQuery] = useState('');
  const [index, setIndex] = useState(0);
  const [, navigate] = useLocation();
  const { entries, isSearching } = usePaletteEntries(query);
  const current = Math.min(index, Math.max(0, entries.length - 1));
  const choose = (entry: PaletteEntry) => {
    onClose();
    if (entry.href !== undefined) navigate(entry.href);
    entry.run?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entry = entries[current];
    if (by !== undefined) setIndex(step(current, { by, count: entries.length }));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && entry) choose(entry);
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex flex-col gap-2">
      <TextInput
        type="search"
        role="combobox"
        aria-label={text('search.label')}
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? optionId(listId, current) : undefined}
        placeholder={text('search.label')}
        autoFocus
        autoComplete="off"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={text('search.found')} className="h-80 overflow-y-auto">
        {entries.map((entry, place) => (
          <Option
            key={entry.id}
            id={optionId(listId, place)}
            entry={entry}
            isCurrent={place === current}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      <p role="status" className="text-meta text-text-2">
        {isSearching ? text('search.busy') : text('search.count', { count: entries.length })}
      </p>
    </div>
  );
}

function usePaletteEntries(query: string): { entries: PaletteEntry[]; isSearching: boolean } {
  const text = useText('app');
  const wanted = query.trim();
  const found = useFound(wanted, true);
  const pages = useVisiblePages()
    .flat()
    .map(({ name }) => ({
      id: `page ${name}`,
      kind: text('palette.page'),
      label: text(`pages.${name}`),
      href: `/${name}`,
    }));
  const actions = usePageActions().map(({ id, label, run }) => ({
    id: `action ${id}`,
    kind: text('palette.action'),
    label,
    run,
  }));
  const known = [...actions, ...pages].filter(({ label }) => matches(label, wanted));
  return { entries: [...known, ...found.entries], isSearching: found.isSearching };
}

/** One line of the search: a page, an action, or a thing that was found. */
interface PaletteEntry {
  id: string;
  /** The kind of the entry, in one word. */
  kind: string;
  label: string;
  href?: string;
  run?: () => void;
}

function Option({
  id,
  entry,
  isCurrent,
  onChoose,
}: {
  id: string;
  entry: PaletteEntry;
  isCurrent: boolean;
  onChoose: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and handles the keys of the list
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      onClick={onChoose}
      ref={(element) => {
        if (isCurrent) element?.scrollIntoView({ block: 'nearest' });
      }}
      className="flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-control px-2 text-body hover:bg-sunken aria-selected:bg-sunken forced-colors:aria-selected:outline forced-colors:aria-selected:-outline-offset-1 pointer-coarse:min-h-11"
    >
      <span className="truncate">{entry.label}</span>
      <span className="shrink-0 text-meta text-text-2">{entry.kind}</span>
    </div>
  );
}

function optionId(listId: string, place: number): string {
  return `${listId}-${place}`;
}

const perKind = 5;
const minLength = 2;

/** Searches the gateway for the query: tasks by name or id, threads by title, workflows by name. */
function useFound(query: string, isOpen: boolean): { entries: PaletteEntry[]; isSearching: boolean } {
  const text = useText('app');
  const wanted = useDeferredValue(query.trim());
  const searches = isOpen && wanted.length >= minLength;
  const hasTasks = useHasPage('tasks');
  const hasChat = useHasPage('chat');
  const hasWorkflows = useHasPage('workflows');
  const tasks = useQuery({ ...tasksQuery({ q: wanted, limit: perKind }), enabled: searches && hasTasks });
  const threads = useInfiniteQuery({ ...threadPagesQuery({ q: wanted }), enabled: searches && hasChat });
  const workflows = useQuery({ ...workflowsQuery(), enabled: searches && hasWorkflows });
  if (!searches) return { entries: [], isSearching: false };
  const entries = [
    ...(tasks.data?.items ?? []).map(({ id, name }) => ({
      id: `task ${id}`,
      kind: text('palette.task'),
      label: name || id,
      href: `/tasks/${id}`,
    })),
    ...(threads.data?.pages.flat() ?? [])
      .map((thread) => ({
        id: `thread ${thread.thread_id}`,
        kind: text('palette.thread'),
        label: thread.title || thread.thread_id,
        href: `/chat/${thread.thread_id}`,
      }))
      .slice(0, perKind),
    ...(workflows.data?.items ?? [])
      .map(({ id, name }) => ({
        id: `workflow ${id}`,
        kind: text('palette.workflow'),
        label: name,
        href: `/workflows/${id}`,
      }))
      .filter(({ label }) => matches(label, wanted))
      .slice(0, perKind),
  ];
  return { entries, isSearching: [tasks, threads, workflows].some(({ isLoading }) => isLoading) };
}
