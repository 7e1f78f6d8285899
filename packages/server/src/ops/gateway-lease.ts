import type { Config } from '../config/schema.ts';
import { AppError } from '../lib/app-error.ts';
import { sleepWithSignal } from '../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../lib/async/timer.ts';
import { untilAborted } from '../lib/async/until-aborted.ts';
import type { Ownership } from '../platform/ownership/ownership.ts';

/** How the gateways of one Postgres database hear of each other. All of them have to do it in the same way. */
export type GatewayKind = 'only' | 'with_redis' | 'without_redis';

const keys: Record<GatewayKind, string> = {
  only: 'gateway',
  with_redis: 'replica:redis:',
  without_redis: 'replica:database:',
};

/** The sentences with which a gateway refuses to join one of this kind. */
const refusals: Record<GatewayKind, string> = {
  only: 'Another gateway uses this database alone; stop it, or let all gateways of the database be replicas: set bus.backend to redis and bus.url for all of them, or cluster.allow_replicas_without_redis to run them without.',
  with_redis:
    'Replicas that hear of each other through Redis use this database; set bus.backend to redis and their bus.url for this gateway too, stop them first, or give it a database of its own.',
  without_redis:
    'Replicas without Redis use this database; set cluster.allow_replicas_without_redis and no bus for this gateway too, stop them first, or give it a database of its own.',
};

/** A lease that is renewed is noticed at the next look. */
const lookAgainMs = 250;
const retryMs = 1_000;

export function gatewayKindOf({ bus, cluster }: Pick<Config, 'bus' | 'cluster'>): GatewayKind {
  if (bus.backend === 'redis') return 'with_redis';
  return cluster.allow_replicas_without_redis ? 'without_redis' : 'only';
}

interface GatewayLeaseOptions {
  ownership: Pick<Ownership, 'hold' | 'heldElsewhere' | 'holder'>;
  kind: GatewayKind;
  onLost: (error: unknown) => void;
  timer?: Timer;
}

/**
 * Holds the lease by which other gateways of a Postgres database see that this one is there. Throws an error with one sentence
 * while gateways of another kind are alive, or any other one where this is to be the only gateway: they would not receive
 * each other's events. Leases of gateways that were killed are waited for. Returns the function that gives the lease back.
 */
export async function enterDatabase(options: GatewayLeaseOptions): Promise<() => void> {
  const leaving = new AbortController();
  const lease = { isHeld: false };
  void keepLease(options, { signal: leaving.signal, lease });
  try {
    // It is held before it looks, so of two gateways that start at once at least one sees the other.
    await untilAlone(options, lease);
  } catch (error) {
    leaving.abort(error);
    throw error;
  }
  return () => leaving.abort(new Error('The gateway is shutting down.'));
}

/**
 * Throws an error with one sentence while a gateway uses a Postgres database. It writes nothing. The lease of one that was killed is
 * waited for.
 */
export async function requireNoGateway(
  ownership: Pick<Ownership, 'heldElsewhere'>,
  timer: Timer = systemTimer,
): Promise<void> {
  try {
    await untilAlone({ ownership, kind: 'only', timer }, { isHeld: true });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new Error(
      'A gateway uses this database. Stop every gateway that does, then run the command again.',
      {
        cause,
      },
    );
  }
}

async function keepLease(
  { ownership, kind, onLost, timer = systemTimer }: GatewayLeaseOptions,
  { signal, lease }: { signal: AbortSignal; lease: { isHeld: boolean } },
): Promise<void> {
  const key = kind === 'only' ? keys.only : keys[kind] + ownership.holder;
  while (!signal.aborted) {
    try {
      await ownership.hold(
        key,
        ({ signal: over }) => {
          lease.isHeld = true;
          return untilAborted(over);
        },
        { signal },
      );
    } catch (error) {
      if (signal.aborted) return;
      onLost(error);
      await sleepWithSignal(retryMs, { signal, timer }).catch(() => undefined); // the loop ends with the signal
    }
  }
}

/** Resolves when the lease is held and no gateway that this one may not join holds one. */
async function untilAlone(
  {
    ownership,
    kind,
    timer = systemTimer,
  }: Pick<GatewayLeaseOptions, 'kind' | 'timer'> & { ownership: Pick<Ownership, 'heldElsewhere'> },
  lease: { isHeld: boolean },
): Promise<void> {
  const firstSeen = new Map<string, number>();
  for (;;) {
    const { isHeld } = lease;
    const others = (await ownership.heldElsewhere(Object.values(keys))).filter(
      ({ key }) => kind === 'only' || kindOf(key) !== kind,
    );
    if (isHeld && others.length === 0) return;
    for (const { key, token, expiresAtMs } of others) {
      const name = `${key} ${token}`;
      // A gateway that was killed does not renew its lease, which then ends by itself.
      if ((firstSeen.get(name) ?? expiresAtMs) !== expiresAtMs) throw new Error(refusals[kindOf(key)]);
      firstSeen.set(name, expiresAtMs);
    }
    await sleepWithSignal(lookAgainMs, { timer });
  }
}

function kindOf(key: string): GatewayKind {
  const kinds = Object.keys(keys) as GatewayKind[];
  return kinds.find((kind) => key.startsWith(keys[kind])) ?? 'only';
}
