import { listAccessTokens } from '@switchyard/contract/accounts/access-token';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';

/** The tokens of the user: those of programs, and those of clients that may sign in for them. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => gateway.call(listAccessTokens, { signal }),
});
