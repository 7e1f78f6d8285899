import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { followsAfter, isAtEnd, scrollTarget, type Viewport } from './model/scroll-rule.ts';

/**
 * Keeps the end of the conversation in sight for a reader who is there, and leaves every other reader alone. `content` changes
 * whenever there may be more to see.
 */
export function useEndOfPage(content: unknown, conversation: string) {
  const [isFollowing, setFollowing] = useState(true);
  const following = useRef(true);
  const seen = useRef<Viewport | null>(null);

  const follow = useCallback((next: boolean) => {
    following.current = next;
    setFollowing(next);
  }, []);

  const jump = useCallback(() => {
    follow(true);
    window.scrollTo({ top: document.documentElement.scrollHeight });
    seen.current = viewport();
  }, [follow]);

  useEffect(() => {
    const onScroll = () => {
      const now = viewport();
      const next = followsAfter(following.current, seen.current ?? now, now);
      seen.current = now;
      if (next !== following.current) follow(next);
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, [follow]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation begins at its end
  useLayoutEffect(jump, [conversation, jump]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new content is what asks for the end
  useLayoutEffect(() => {
    const target = scrollTarget(following.current, viewport());
    if (target !== null) window.scrollTo({ top: target });
    seen.current = viewport();
  }, [content]);

  return { isAway: !isFollowing && !isAtEnd(seen.current ?? viewport()), jump };
}

function viewport(): Viewport {
  const { scrollTop: top, clientHeight: height, scrollHeight: contentHeight } = document.documentElement;
  return { top, height, contentHeight };
}
