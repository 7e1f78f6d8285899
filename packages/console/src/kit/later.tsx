import { type ReactNode, useDeferredValue } from 'react';

/**
 * Draws its children in a step of its own, once what stands above them has been drawn. A page that is laid out in two steps
 * shows its first part earlier and takes input in between. What stands below them would move, so they are the end of a page.
 */
export function Later({ children }: { children: ReactNode }) {
  const isDrawn = useDeferredValue(true, false);
  return isDrawn ? children : null;
}
