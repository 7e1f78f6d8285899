import { randomId } from '@switchyard/client/random-id';
import type { Task } from '@switchyard/contract/dispatch/task';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { newTasksQuery, taskPagesQuery } from '../../../lib/data/tasks.ts';
import { storedText } from '../../../lib/stored-text.ts';

/** A sitting has no more tasks; the next run begins another one. */
const maxTasks = 1_000;
const perPage = 200;

/** The id of the element in which the result stands. */
export const benchId = 'bench-result';

export interface Sitting {
  tasks: readonly Task[];
  error: unknown;
  retry: () => unknown;
  isLoading: boolean;
  /** Returns the tag for a run that begins now. */
  begin: () => string;
  /** Shows a task as soon as the gateway has taken it. */
  add: (task: Task) => void;
  /** Begins with an empty strip. What was made stays in the gallery. */
  clear: () => void;
}

/**
 * What a person makes at the bench of a workflow until they ask for an empty one. Its tag stands in the address, and this
 * browser keeps it, so that it is there after a reload and after a look at another page. Two tabs of a workflow share it.
 */
export function useSitting(workflowId: string): Sitting {
  const cache = useQueryClient();
  const stored = useMemo(() => storedText(`switchyard.sitting.${workflowId}`), [workflowId]);
  const kept = useSyncExternalStore(stored.subscribe, stored.read) || null;
  const [named] = useQueryState('sitting');
  const tag = named ?? kept;
  const query = useInfiniteQuery({ ...taskPagesQuery(filterOf(tag)), enabled: tag !== null });
  const { data: announced } = useQuery(newTasksQuery());
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const tasks = useMemo(() => {
    const isOfSitting = ({ tags }: Task) => tag !== null && tags.includes(tag);
    // A frame changes a task in both places, whichever has been read first.
    return [...(data?.pages ?? []).flatMap(({ items }) => items), ...(announced ?? []).filter(isOfSitting)];
  }, [data, announced, tag]);
  useEffect(() => {
    if (hasNextPage && !isFetching && tasks.length < maxTasks) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, tasks.length]);
  return {
    tasks,
    error: query.error,
    retry: query.refetch,
    isLoading: tag !== null && query.isPending,
    begin: () => {
      const begun = tag === null || tasks.length >= maxTasks ? newTag() : tag;
      stored.set(begun);
      setQuery({ sitting: begun });
      return begun;
    },
    add: (task) =>
      cache.setQueryData<Task[]>(newTasksQuery().queryKey, (known = []) =>
        known.some(({ id }) => id === task.id) ? known : [task, ...known],
      ),
    clear: () => {
      stored.set('');
      setQuery({ sitting: null, result: null });
    },
  };
}

const tagStart = 'bench-';
const dayMs = 86_400_000;

/** The time in the tag bounds what the gateway looks at to find the tasks of the sitting. */
function newTag(): string {
  return `${tagStart}${Date.now().toString(36)}-${randomId().slice(0, 12)}`;
}

function filterOf(tag: string | null) {
  const begunAtMs = tag?.startsWith(tagStart) ? Number.parseInt(tag.slice(tagStart.length), 36) : Number.NaN;
  return {
    tag: tag ?? '',
    limit: perPage,
    // The clock of a browser may be off by hours.
    ...(Number.isSafeInteger(begunAtMs) && { since: new Date(begunAtMs - dayMs).toISOString() }),
  };
}
