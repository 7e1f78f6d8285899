import { listUsers } from '@switchyard/contract/accounts/user';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { gateway } from '../gateway.ts';
import { useSession } from '../session.ts';

const maxListed = 200;

/** The oldest accounts, for administrators. */
export const accountsQuery = queryOptions({
  queryKey: ['users', 'list', { limit: maxListed }],
  queryFn: ({ signal }) => gateway.call(listUsers, { query: { limit: maxListed }, signal }),
});

/** The addresses of the accounts by their ids. An account that is not among the listed ones keeps its id. */
export function useOwnerNames({ isWanted }: { isWanted: boolean }): (owner: string) => string {
  const { id, email, isAdmin } = useSession();
  const { data } = useQuery({ ...accountsQuery, enabled: isAdmin && isWanted });
  return useCallback(
    (owner) => {
      if (owner === id) return email;
      return data?.items.find((account) => account.id === owner)?.email ?? owner;
    },
    [data, id, email],
  );
}
