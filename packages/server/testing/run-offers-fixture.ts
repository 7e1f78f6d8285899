import { randomBytes } from 'node:crypto';
import { OfferQueues } from '../src/platform/offers/offer-queues.ts';
import { openTestRedis } from './redis-fixture.ts';
import type { ProcessOffers } from './runs-fixture.ts';

/** Lets the processes of one fixture share a line of waiting runs in this Redis. */
export function sharedOffers(url: string): () => Promise<ProcessOffers> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  return async () => {
    const redis = await openTestRedis(url, prefix);
    const offers = await OfferQueues.open({ redis });
    return {
      offers,
      close: () => {
        offers.close();
        redis.close();
      },
    };
  };
}
