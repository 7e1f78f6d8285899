import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../lib/session-query.ts';
import { createQueryClient } from './query-client.ts';

interface StartedQueries {
  queries: QueryClient;
  /** Resolves when it is known who is signed in, or that the gateway does not say. */
  session: Promise<void>;
}

/** Makes the cache of the page, and asks at once who is signed in. */
export function startQueries(): StartedQueries {
  const queries = createQueryClient();
  return { queries, session: queries.prefetchQuery(sessionQuery) };
}
