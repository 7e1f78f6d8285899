import { useEffect, useRef } from 'react';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';

/** Loads the next page of a list, if there is one. */
export function MoreRows({
  query,
  label,
  isEarly = false,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  label?: string;
  /** Loads it before its place comes into view; the button does the same. */
  isEarly?: boolean;
}) {
  const text = useText('kit');
  const { hasNextPage, isFetchingNextPage: isLoading, fetchNextPage } = query;
  const end = useRef<HTMLDivElement>(null);
  const load = useRef(fetchNextPage);
  useEffect(() => {
    load.current = fetchNextPage;
  });
  useEffect(() => {
    const element = end.current;
    if (!isEarly || !hasNextPage || isLoading || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void load.current();
      },
      { rootMargin: '1200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isEarly, hasNextPage, isLoading]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className={isEarly ? 'flex justify-center py-3' : 'pt-2'}>
      <Button variant={isEarly ? 'plain' : 'quiet'} isBusy={isLoading} onClick={() => void fetchNextPage()}>
        {isEarly && isLoading ? text('state.loading') : (label ?? text('more'))}
      </Button>
    </div>
  );
}
