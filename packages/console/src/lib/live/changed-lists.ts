import type { InfiniteData } from '@tanstack/react-query';

/** Returns the list itself when no item changes, so that no page is drawn again for nothing. */
export function changedItems<T>(items: readonly T[], change: (item: T) => T | null): T[] {
  let isSame = true;
  const changed: T[] = [];
  for (const item of items) {
    const next = change(item);
    if (next !== item) isSame = false;
    if (next !== null) changed.push(next);
  }
  return isSame ? (items as T[]) : changed;
}

/** Changes the items of a list that has them in `items`. */
export function changedList<T, L extends { items: readonly T[] }>(list: L, change: (item: T) => T | null): L {
  const items = changedItems(list.items, change);
  return items === list.items ? list : { ...list, items };
}

/** Changes each page of a paged list. */
export function changedPages<P, Param>(
  data: InfiniteData<P, Param>,
  change: (page: P) => P,
): InfiniteData<P, Param> {
  const pages = changedItems(data.pages, change);
  return pages === data.pages ? data : { ...data, pages };
}
