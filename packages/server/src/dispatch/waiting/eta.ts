import type { Quartiles } from './quartiles.ts';

/** When a task will have ended, as far as earlier tasks tell. */
export interface EtaMs {
  fromMs: number;
  toMs: number;
}

export interface QueuedWork {
  nowMs: number;
  /** How long tasks with the same graph took. */
  own: Quartiles;
  /** How long tasks took lately on the instances in question, whatever their graph; null when that is not known. */
  others: Quartiles | null;
  /** The tasks ahead that need the same instances. */
  ahead: number;
  /** The instances that could run it, and those of them that have nothing to do. */
  instances: number;
  free: number;
  /** The time before which it is certainly not given to an instance. */
  delayMs: number;
}

/**
 * The tasks ahead are spread evenly over the instances. An instance that works is done now at the earliest and after
 * the usual time at the latest. Returns null when no instance could run the task.
 */
export function etaOfWaiting(work: QueuedWork): EtaMs | null {
  const { nowMs, own, ahead, instances, free, delayMs } = work;
  if (instances === 0) return null;
  const others = work.others ?? own;
  const startMs = nowMs + Math.max(delayMs, 0);
  const afterFree = Math.max(ahead - free, 0);
  const mustWait = free <= ahead;
  const rounds = { low: Math.floor(afterFree / instances), high: Math.ceil(afterFree / instances) };
  return {
    fromMs: startMs + rounds.low * others.lowMs + own.lowMs,
    toMs: startMs + (rounds.high + (mustWait ? 1 : 0)) * others.highMs + own.highMs,
  };
}

/** Returns null when the task takes longer than is usual: then earlier tasks tell nothing about it any more. */
export function etaOfRunning({
  nowMs,
  startMs,
  own,
}: {
  nowMs: number;
  startMs: number;
  own: Quartiles;
}): EtaMs | null {
  const toMs = startMs + own.highMs;
  return toMs <= nowMs ? null : { fromMs: Math.max(startMs + own.lowMs, nowMs), toMs };
}
