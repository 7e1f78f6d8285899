import { useEffect, useRef, useState } from 'react';
import { setQuery, useQueryState } from '../../../lib/address.ts';
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
  const follow = () => {
    setSeen(null);
    setQuery({ result: null });
  };
  const stay = (result: BenchResult) => {
    if (key !== null) return;
    setSeen(last.current);
    setQuery({ result: result.key });
  };
  const choose = (result: BenchResult) => {
    if (result.key === shownResult(results, null)?.key) return follow();
    const end = result.task.finishedAt ?? '';
    setSeen((before) => (before === null ? last.current : end > before ? end : before));
    setQuery({ result: result.key });
  };
  return {
    shown: shownResult(results, chosen),
    isFollowing: chosen === null,
    newCount: countNew(results, chosen),
    follow,
    stay,
    choose,
  };
}

/** The results that a person has marked, to compare them. */
export function useMarks() {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    toggle: (key: string) =>
      setKeys((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    clear: () => setKeys(new Set()),
  };
}
