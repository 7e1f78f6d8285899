import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { tasksQuery } from '../../../lib/data/tasks.ts';
import { threadPagesQuery } from '../../../lib/data/threads.ts';
import { workflowsQuery } from '../../../lib/data/workflows.ts';
import { useText } from '../../../lib/i18n.ts';
import { useHasPage } from '../visible-pages.ts';
import { matches } from './match.ts';
import type { PaletteEntry } from './palette-entry.ts';

const perKind = 5;
const minLength = 2;

/** What the gateway has that fits the query: tasks by name or id, threads by title, workflows by name. */
export function useFound(query: string, isOpen: boolean): { entries: PaletteEntry[]; isSearching: boolean } {
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
