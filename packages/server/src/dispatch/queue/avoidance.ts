/** An instance that a task is not given to for now, for it has refused this task or failed at it. */
export interface Avoidance {
  instanceId: string;
  untilMs: number;
}

/** How long an attempt is remembered against its instance at most. */
const longestMs = 60_000;
/** Ends that say nothing about the instance: the task itself failed, was cancelled or was taken back. */
const harmless = new Set(['graph_error', 'given_back', 'cancelled', 'completed']);

/**
 * Where a task should not go now, from the rows of its attempts, so that a restarted gateway knows it as well: each
 * instance for twice as long each time. A task without another instance comes back when the time is over.
 */
export function avoidancesOf(
  attempts: readonly { instanceId: string; outcome: string | null; endedAt: string | null }[],
  { nowMs, firstMs }: { nowMs: number; firstMs: number },
): Avoidance[] {
  const failures = new Map<string, { count: number; lastMs: number }>();
  for (const { instanceId, outcome, endedAt } of attempts) {
    if (outcome === null || endedAt === null || harmless.has(outcome)) continue;
    const { count, lastMs } = failures.get(instanceId) ?? { count: 0, lastMs: 0 };
    failures.set(instanceId, { count: count + 1, lastMs: Math.max(lastMs, Date.parse(endedAt)) });
  }
  return [...failures]
    .map(([instanceId, { count, lastMs }]) => ({
      instanceId,
      untilMs: lastMs + Math.min(firstMs * 2 ** (count - 1), Math.max(longestMs, firstMs)),
    }))
    .filter(({ untilMs }) => untilMs > nowMs);
}
