import { getInstance, listInstances } from '@switchyard/contract/dispatch/instance';
import { listInstanceEvents } from '@switchyard/contract/dispatch/instance-event';
import { getSettings } from '@switchyard/contract/dispatch/settings';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

export function instancesQuery() {
  return queryOptions({
    queryKey: keys.instanceList,
    queryFn: ({ signal }) => gateway.call(listInstances, { signal }),
  });
}

export function instanceQuery(instanceId: string) {
  return queryOptions({
    queryKey: keys.instance(instanceId),
    queryFn: ({ signal }) => gateway.call(getInstance, { params: { instanceId }, signal }),
  });
}

/** The servers that instances belong to, for administrators: below which path and with which scheme they answer. */
export function serversQuery() {
  return queryOptions({
    queryKey: [...keys.instances, 'servers'],
    queryFn: async ({ signal }) => (await gateway.call(getSettings, { signal })).servers,
  });
}

/** Asks for the events of an instance, the newest first. */
export function instanceEventsQuery(instanceId: string) {
  return infiniteQueryOptions({
    queryKey: [...keys.instance(instanceId), 'events'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      gateway.call(listInstanceEvents, {
        params: { instanceId },
        query: { ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
