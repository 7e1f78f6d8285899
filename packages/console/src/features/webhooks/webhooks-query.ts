import { listDeliveries, listWebhooks } from '@switchyard/contract/dispatch/webhook';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

export const webhooksKey = ['webhooks'];
const perPage = 50;

export const webhooksQuery = queryOptions({
  queryKey: [...webhooksKey, 'list'],
  queryFn: ({ signal }) => gateway.call(listWebhooks, { signal }),
});

/** Asks for the deliveries to a webhook, the newest first. */
export function deliveriesQuery(webhookId: string) {
  return infiniteQueryOptions({
    queryKey: [...webhooksKey, 'deliveries', webhookId],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      gateway.call(listDeliveries, { params: { webhookId }, query: { limit: perPage, offset }, signal }),
    getNextPageParam: ({ total }, pages) => {
      const loaded = pages.reduce((count, { items }) => count + items.length, 0);
      return loaded < total ? loaded : undefined;
    },
    refetchInterval: 10_000,
  });
}
