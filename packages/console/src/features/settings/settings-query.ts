import { getSettings } from '@switchyard/contract/dispatch/settings';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

/** Not asked again while somebody edits: a conflict is noticed when it is saved. */
export function settingsQuery() {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => gateway.call(getSettings, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
