import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

/** A list that the gateway pages by offset, read a page after the other. */
export function pagesOf<Item>(
  queryKey: QueryKey,
  read: (offset: number, signal: AbortSignal) => Promise<{ total: number; items: Item[] }>,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: ({ total }, pages) => {
      const loaded = pages.reduce((sum, { items }) => sum + items.length, 0);
      return loaded < total ? loaded : undefined;
    },
  });
}
