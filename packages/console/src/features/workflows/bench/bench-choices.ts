import { markFiles } from '@switchyard/contract/dispatch/file';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useToast } from '../../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { filePagesQuery } from '../../../lib/data/files.ts';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { type BenchResult, countNew, seenUntil, shownResult } from './results.ts';

/** Which result fills the page. The chosen one stands in the address; without one, the newest is followed. */
export function usePlace(results: readonly BenchResult[]) {
  const [key] = useQueryState('result');
  const [seen, setSeen] = useState<string | null>(null);
  const isLoaded = results.length > 0;
  const last = useRef('');
  last.current = seenUntil(results);
  useEffect(() => {
    // A page that was opened at a result counts from what there is.
    if (key !== null && isLoaded) setSeen((before) => before ?? last.current);
  }, [key, isLoaded]);
  const chosen = key === null ? null : { key, seenUntil: seen ?? last.current };
  const shown = shownResult(results, chosen);
  const newest = shownResult(results, null);
  const look = (result: BenchResult | undefined, { closely }: { closely: boolean }) => {
    if (result === undefined || (result.key === newest?.key && !closely)) {
      setSeen(null);
      setQuery({ result: null });
      return;
    }
    const end = result.task.finishedAt ?? '';
    setSeen((before) => (before === null ? last.current : end > before ? end : before));
    setQuery({ result: result.key });
  };
  return {
    shown,
    newest,
    isFollowing: chosen === null,
    newCount: countNew(results, chosen, shown),
    /** Goes to a result. The newest one is followed, unless a person looks at it closely. */
    look,
  };
}

/** The results that a person has marked, to compare them. */
export function useMarks() {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  return {
    keys: marked,
    toggle: (key: string) =>
      setMarked((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    clear: () => setMarked(new Set()),
  };
}

/** The newest starred files of a workflow, and the way to star one or take the star away. It shows at once and is taken back when refused. */
export function useStars(workflowId: string): {
  stars: ReadonlySet<string>;
  toggle: (fileId: string) => void;
} {
  const cache = useQueryClient();
  const toast = useToast();
  const { data } = useInfiniteQuery(filePagesQuery({ workflowId, starred: true }));
  const change = useMutation({
    mutationFn: (mark: { fileId: string; starred: boolean }) =>
      gateway.call(markFiles, { body: { fileIds: [mark.fileId], starred: mark.starred } }),
    onError: (error) => toast({ error }),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.filePages }),
  });
  const { variables, isPending } = change;
  const stars = useMemo(() => {
    const known = new Set(data?.pages.flatMap(({ items }) => items.map(({ fileId }) => fileId)));
    if (isPending && variables.starred) known.add(variables.fileId);
    else if (isPending) known.delete(variables.fileId);
    return known;
  }, [data, isPending, variables]);
  return { stars, toggle: (fileId) => change.mutate({ fileId, starred: !stars.has(fileId) }) };
}
