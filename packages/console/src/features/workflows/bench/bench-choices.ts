import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useMarks } from '../../../kit/pictures/use-marks.ts';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { starredQuery } from '../../../lib/data/files.ts';
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
export function useMarkedResults() {
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

/** The newest starred files of a workflow, and the way to star one or take the star away. */
export function useStars(workflowId: string): {
  stars: ReadonlySet<string>;
  toggle: (fileId: string) => void;
} {
  const { mark } = useMarks();
  const { data } = useQuery(starredQuery(workflowId));
  const stars = useMemo(() => new Set(data?.items.map(({ fileId }) => fileId)), [data]);
  return { stars, toggle: (fileId) => void mark([fileId], { starred: !stars.has(fileId) }) };
}
