import { type RefObject, useLayoutEffect, useState } from 'react';

/** The width of an element in pixels; 0 until it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const sizes = new ResizeObserver(() => setWidth(measured.clientWidth));
    sizes.observe(measured);
    setWidth(measured.clientWidth);
    return () => sizes.disconnect();
  }, [element]);
  return width;
}
