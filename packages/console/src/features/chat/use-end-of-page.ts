import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { followsAfter, isAtEnd, scrollTarget, type Viewport } from './model/scroll-rule.ts';

interface EndOfPageOptions {
  conversation: string;
  /** The element that scrolls; null for the page itself. */
  box: RefObject<HTMLElement | null> | null;
}

/**
 * Keeps the end of the conversation in sight for a reader who is there, and leaves every other reader alone. Whatever draws the
 * conversation calls `keepEnd` when there may be more to see.
 */
export function useEndOfPage({ conversation, box }: EndOfPageOptions) {
  const [isFollowing, setFollowing] = useState(true);
  const following = useRef(true);
  const seen = useRef<Viewport | null>(null);

  const follow = useCallback((next: boolean) => {
    following.current = next;
    setFollowing(next);
  }, []);

  const jump = useCallback(() => {
    follow(true);
    scrolled(box).scrollTo({ top: scrolled(box).scrollHeight });
    seen.current = viewport(box);
  }, [follow, box]);

  useEffect(() => {
    const onScroll = () => {
      const now = viewport(box);
      const next = followsAfter(following.current, seen.current ?? now, now);
      seen.current = now;
      if (next !== following.current) follow(next);
    };
    const heard = box?.current ?? window;
    heard.addEventListener('scroll', onScroll, { passive: true });
    return () => heard.removeEventListener('scroll', onScroll);
  }, [follow, box]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation begins at its end
  useLayoutEffect(jump, [conversation, jump]);

  const keepEnd = useCallback(() => {
    const target = scrollTarget(following.current, viewport(box));
    if (target !== null) scrolled(box).scrollTo({ top: target });
    seen.current = viewport(box);
  }, [box]);

  return { isAway: !isFollowing && !isAtEnd(seen.current ?? viewport(box)), jump, keepEnd };
}

function scrolled(box: EndOfPageOptions['box']): HTMLElement {
  return box?.current ?? document.documentElement;
}

function viewport(box: EndOfPageOptions['box']): Viewport {
  const { scrollTop: top, clientHeight: height, scrollHeight: contentHeight } = scrolled(box);
  return { top, height, contentHeight };
}
