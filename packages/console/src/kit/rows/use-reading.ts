import { useCallback, useEffect, useState } from 'react';

/** So far a list may be scrolled and still shows its top. */
const topPixels = 40;

/** Returns whether somebody reads a list: the pointer is in `area`, or the page is scrolled away from its top. */
export function useReading(): {
  held: boolean;
  area: (element: HTMLElement | null) => (() => void) | undefined;
} {
  const [inside, setInside] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const onScroll = () => setScrolled(window.scrollY > topPixels);
    onScroll();
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  const area = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const enter = () => setInside(true);
    const leave = () => setInside(false);
    element.addEventListener('pointerenter', enter);
    element.addEventListener('pointerleave', leave);
    return () => {
      element.removeEventListener('pointerenter', enter);
      element.removeEventListener('pointerleave', leave);
      setInside(false);
    };
  }, []);
  return { held: inside || scrolled, area };
}
