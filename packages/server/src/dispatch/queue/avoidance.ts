import { hourMs } from '../../lib/time-units.ts';

/** An instance that a task is not given to for now, because the instance has refused this task or failed at it. */
export interface Avoidance {
  instanceId: string;
  untilMs: number;
}

/** The longest time that an attempt counts against its instance. */
const maxMs = 60_000;
/** An instance that an input is too large for says so again each time. The pool may be another after this time. */
const tooLargeMs = hourMs;
/** Ends that say nothing about the instance: the task itself failed, was cancelled, was taken back or never arrived. */
const harmless = new Set(['graph_error', 'given_back', 'cancelled', 'completed', 'unsent', 'untraced']);

/**
 * The instances that a task avoids now, each for twice as long each time. They follow from the rows of its attempts, so
 * that a restarted gateway knows them as well. A task that no other instance can run is given out again when the time
 * is over.
 */
export function avoidancesOf(
  attempts: readonly { instanceId: string; outcome: string | null; endedAt: string | null }[],
  { nowMs, firstMs }: { nowMs: number; firstMs: number },
): Avoidance[] {
  const failures = new Map<string, { count: number; lastMs: number; isTooLarge: boolean }>();
  for (const { instanceId, outcome, endedAt } of attempts) {
    if (outcome === null || endedAt === null || harmless.has(outcome)) continue;
    const { count, lastMs } = failures.get(instanceId) ?? { count: 0, lastMs: 0 };
    failures.set(instanceId, {
      count: count + 1,
      lastMs: Math.max(lastMs, Date.parse(endedAt)),
      isTooLarge: outcome === 'too_large',
    });
  }
  return [...failures]
    .map(([instanceId, { count, lastMs, isTooLarge }]) => ({
      instanceId,
      untilMs:
        lastMs + (isTooLarge ? tooLargeMs : Math.min(firstMs * 2 ** (count - 1), Math.max(maxMs, firstMs))),
    }))
    .filter(({ untilMs }) => untilMs > nowMs);
}
