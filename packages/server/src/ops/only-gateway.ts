import { newDeferred } from '../lib/async/deferred.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';

/** A killed gateway keeps its lease for one life. If it is still held after this many, another gateway is alive. */
const waitedLives = 4 / 3;
const retryMs = 1_000;

/**
 * Makes this the only gateway of a Postgres database, because without Redis two gateways would not receive each other's
 * events. Throws an error with instructions when another one is alive.
 */
export async function holdAsOnlyGateway({
  ownership,
  leaseLifeMs,
  onLost,
}: {
  ownership: Ownership;
  leaseLifeMs: number;
  onLost: (error: unknown) => void;
}): Promise<() => void> {
  const closing = new AbortController();
  const isHeld = newDeferred<boolean>();
  const stay = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await ownership.hold(
          'gateway',
          ({ signal }) => {
            isHeld.resolve(true);
            return aborted(signal);
          },
          { signal: closing.signal },
        );
      } catch (error) {
        if (closing.signal.aborted) return;
        onLost(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  };
  void stay();
  const giveUp = setTimeout(() => isHeld.resolve(false), waitedLives * leaseLifeMs);
  const held = await isHeld.promise;
  clearTimeout(giveUp);
  if (held) return () => closing.abort(new Error('The gateway is shutting down.'));
  closing.abort(new Error('Another gateway has the database.'));
  throw new Error(
    'Another gateway uses this database. Several replicas need Redis to hear of each other: set bus.backend to redis and bus.url for all of them, or cluster.allow_replicas_without_redis to run them without.',
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
