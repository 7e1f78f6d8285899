import { useRef } from 'react';

/** The heading of the page, which takes the focus where nothing else can. */
export function pageHeading(): HTMLElement | null {
  return document.querySelector<HTMLElement>('main h1');
}

/**
 * Returns what finds the element that gets the focus after a layer: the row of the thing that was shown last, what had the focus
 * before, or the heading, as after a layer that the address has opened.
 */
export function useReturnFocus(isOpen: boolean): (row?: string) => HTMLElement | null {
  const before = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  if (isOpen && !wasOpen.current) before.current = document.activeElement;
  wasOpen.current = isOpen;
  return (row) => {
    const shown = row && document.querySelector(`main [data-row="${CSS.escape(row)}"] [data-opens-row]`);
    const last = before.current;
    const isLost = last === null || last === document.body || !last.isConnected;
    return ((shown || (isLost ? null : last)) as HTMLElement | null) ?? pageHeading();
  };
}
