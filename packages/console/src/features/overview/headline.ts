import type { PoolOverview } from '@switchyard/contract/dispatch/overview';

/** The one sentence on top, as a key of the texts. Each is true by the numbers below it. */
export type Headline =
  | { key: 'paused'; waiting: number }
  | { key: 'noInstances'; waiting: number }
  | { key: 'noneReachable'; waiting: number }
  | { key: 'free'; alive: number }
  | { key: 'working'; busy: number; alive: number }
  | { key: 'waiting' | 'waitingUntil'; busy: number; alive: number; waiting: number };

export function headlineOf({
  counts,
  isEstimated,
}: {
  counts: PoolOverview['counts'];
  /** True when the end of the line can be estimated. */
  isEstimated: boolean;
}): Headline {
  const { totalInstances, aliveInstances: alive, busyInstances: busy, pendingTasks: waiting } = counts;
  if (counts.paused !== null) return { key: 'paused', waiting };
  if (totalInstances === 0) return { key: 'noInstances', waiting };
  if (alive === 0) return { key: 'noneReachable', waiting };
  if (waiting > 0) return { key: isEstimated ? 'waitingUntil' : 'waiting', busy, alive, waiting };
  return busy > 0 ? { key: 'working', busy, alive } : { key: 'free', alive };
}

export type Warning =
  | { key: 'noWorker'; count: number }
  | { key: 'unreachable'; instanceId: string; name: string }
  | { key: 'paused'; count: number }
  | { key: 'pools'; pools: readonly string[] };

/** Returns the conditions that a person should do something about, as long as they matter. */
export function warningsOf({ counts, instances }: Pick<PoolOverview, 'counts' | 'instances'>): Warning[] {
  const { pendingTasks: waiting, paused, pausedPools } = counts;
  const able = instances.filter(({ state }) => state === 'idle' || state === 'busy' || state === 'checking');
  const away = instances.filter(({ state }) => state === 'unreachable' || state === 'suspect');
  return [
    ...(waiting > 0 && able.length === 0 ? [{ key: 'noWorker' as const, count: waiting }] : []),
    ...away.map(({ instanceId, serverName }) => ({
      key: 'unreachable' as const,
      instanceId,
      name: serverName,
    })),
    ...(paused !== null && waiting > 0 ? [{ key: 'paused' as const, count: waiting }] : []),
    ...(pausedPools.length > 0 && waiting > 0 ? [{ key: 'pools' as const, pools: pausedPools }] : []),
  ];
}
