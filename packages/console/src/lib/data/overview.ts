import { getOverview } from '@switchyard/contract/dispatch/monitor';
import { getQueue } from '@switchyard/contract/dispatch/queue';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

export function overviewQuery() {
  return queryOptions({
    queryKey: keys.overview,
    queryFn: ({ signal }) => gateway.call(getOverview, { signal }),
  });
}

/** The pauses of the queue that the user may see. */
export function queueQuery() {
  return queryOptions({
    queryKey: keys.queue,
    queryFn: ({ signal }) => gateway.call(getQueue, { signal }),
  });
}
