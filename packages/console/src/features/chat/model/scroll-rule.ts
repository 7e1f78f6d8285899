/** The part of a page that is seen. */
export interface Viewport {
  top: number;
  height: number;
  contentHeight: number;
}

/** A reader this close to the end wants to see what comes. */
const nearPx = 48;

export function isAtEnd({ top, height, contentHeight }: Viewport): boolean {
  return contentHeight - (top + height) <= nearPx;
}

/**
 * Returns whether the page follows its growing end. Only the reader changes that: by scrolling away from the end, or back to it.
 * Content that grows never does, so text that is being read stays where it is.
 */
export function followsAfter(isFollowing: boolean, before: Viewport, after: Viewport): boolean {
  const hasGrown = after.contentHeight !== before.contentHeight || after.height !== before.height;
  if (isAtEnd(after)) return true;
  if (after.top < before.top && !hasGrown) return false;
  return isFollowing && hasGrown;
}

/** Returns the place to scroll to after the content has grown; null leaves the page where it is. */
export function scrollTarget(isFollowing: boolean, { top, height, contentHeight }: Viewport): number | null {
  const end = Math.max(0, contentHeight - height);
  return isFollowing && top < end ? end : null;
}
