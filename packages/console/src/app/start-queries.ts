import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { noteSessionEnd, sessionQuery } from '../lib/session-query.ts';

interface StartedQueries {
  queries: QueryClient;
  /** Resolves when it is known who is signed in, or that the gateway does not answer. */
  session: Promise<void>;
}

/** Makes the cache of the page, and asks at once who is signed in. */
export function startQueries(): StartedQueries {
  const queries = createQueryClient();
  return { queries, session: queries.prefetchQuery(sessionQuery) };
}

/**
 * The cache of what the gateway has answered. The client of the gateway repeats what may be repeated, so the cache does
 * not. Push frames keep the cache fresh; what they do not cover is asked again when a page shows it after half a minute.
 */
function createQueryClient(): QueryClient {
  const onError = (error: Error) => noteSessionEnd(client, error);
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A gateway on this machine answers without a network.
      queries: { retry: false, staleTime: 30_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
