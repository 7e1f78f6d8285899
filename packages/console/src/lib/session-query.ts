import { ApiError } from '@switchyard/client/errors';
import type { SignedInAccount } from '@switchyard/contract/accounts/account';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { gateway } from './gateway.ts';

/** The account that is signed in; null when no one is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }): Promise<SignedInAccount | null> =>
    gateway.session.me({ signal }).catch((error: unknown) => {
      if (endsSession(error)) return null;
      throw error;
    }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Call it with the error of any request: an error by which the session has ended leads to the sign-in form. */
export function noteSessionEnd(queries: QueryClient, error: unknown): void {
  if (endsSession(error)) queries.setQueryData(sessionQuery.queryKey, null);
  // The cookies of a session go together, and a change misses the one of them first.
  else if (lacksCookie(error)) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

function lacksCookie(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.message.startsWith('CSRF');
}

function endsSession(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code !== 'invalid_credentials';
}
