import { listUsers } from '@switchyard/contract/accounts/user';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

export const usersKey = ['users'];
const perPage = 100;

/** Accounts whose address has the words, the oldest first. */
export function usersQuery(q: string) {
  return infiniteQueryOptions({
    queryKey: [...usersKey, { q }],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      gateway.call(listUsers, { query: { limit: perPage, offset, q: q || undefined }, signal }),
    getNextPageParam: ({ total }, pages) => {
      const loaded = pages.reduce((count, { items }) => count + items.length, 0);
      return loaded < total ? loaded : undefined;
    },
  });
}
