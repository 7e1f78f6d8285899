import { minSamples } from '../tasks/task-duration-store.ts';

/** The lower and the upper quartile of durations. */
export interface Quartiles {
  lowMs: number;
  highMs: number;
}

/** Returns null when there are too few samples. */
export function quartilesOf(durationsMs: readonly number[]): Quartiles | null {
  if (durationsMs.length < minSamples) return null;
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const last = sorted.length - 1;
  return {
    lowMs: sorted[Math.floor(last / 4)] ?? 0,
    highMs: sorted[Math.ceil((3 * last) / 4)] ?? 0,
  };
}
