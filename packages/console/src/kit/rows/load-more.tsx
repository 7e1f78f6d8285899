import { useEffect, useRef } from 'react';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';

/** Loads the next page before its place comes into view; a button does the same. */
export function LoadMore({
  hasMore,
  isLoading,
  onMore,
}: {
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}) {
  const text = useText('kit');
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = onMore;
  });
  useEffect(() => {
    const element = end.current;
    if (!hasMore || isLoading || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more.current();
      },
      { rootMargin: '1200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, isLoading]);
  if (!hasMore) return null;
  return (
    <div ref={end} className="flex justify-center py-3">
      <Button variant="plain" disabled={isLoading} onClick={onMore}>
        {isLoading ? text('state.loading') : text('more')}
      </Button>
    </div>
  );
}
