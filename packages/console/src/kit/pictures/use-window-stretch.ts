import { type RefObject, useEffect, useState } from 'react';

interface Stretch {
  from: number;
  to: number;
}

/** Which stretch of an element is near the window, in pixels from its top; a screen more above and below. */
export function useWindowStretch(element: RefObject<HTMLElement | null>): Stretch {
  const [stretch, setStretch] = useState<Stretch>({ from: 0, to: 2_000 });
  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = element.current?.getBoundingClientRect().top;
      if (top === undefined) return;
      const screen = window.innerHeight;
      // Whole steps: the page is drawn again a few times for each screen, not for each pixel.
      const from = Math.floor((-top - screen) / 200) * 200;
      setStretch((last) => (last.from === from ? last : { from, to: from + 3 * screen + 200 }));
    };
    const onScroll = () => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onScroll);
    };
  }, [element]);
  return stretch;
}
