import { useEffect, useRef } from 'react';
import { useText } from '../../lib/i18n.ts';

/** Asks for the next page when the end of the list comes near. */
export function NextPage({ isLoading, onNear }: { isLoading: boolean; onNear: () => void }) {
  const text = useText('gallery');
  const mark = useRef<HTMLDivElement>(null);
  const near = useRef(onNear);
  useEffect(() => {
    near.current = onNear;
  });
  useEffect(() => {
    if (mark.current === null || isLoading) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) near.current();
      },
      { rootMargin: '800px' },
    );
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [isLoading]);
  return (
    <div ref={mark} role="status" className="py-4 text-center text-table text-text-2">
      {isLoading ? text('loadingMore') : ''}
    </div>
  );
}
