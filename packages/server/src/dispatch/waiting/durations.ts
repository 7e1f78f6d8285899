import { minSamples } from '../tasks/task-duration-store.ts';

/** The times that tasks took, the shortest first. */
export type Durations = readonly number[];

/** Returns null when there are too few samples. */
export function durationsOf(samplesMs: readonly number[]): Durations | null {
  return samplesMs.length < minSamples ? null : [...samplesMs].sort((a, b) => a - b);
}

/** The lower and the upper quartile. */
export function quartilesOf(durations: Durations): { lowMs: number; highMs: number } {
  const last = durations.length - 1;
  return {
    lowMs: durations[Math.floor(last / 4)] ?? 0,
    highMs: durations[Math.ceil((3 * last) / 4)] ?? 0,
  };
}

/** The duration that this share of them stays below, between two of them where it falls there. */
export function durationAt(durations: Durations, share: number): number {
  const last = durations.length - 1;
  const place = Math.min(Math.max(share * durations.length - 0.5, 0), last);
  const below = durations[Math.floor(place)] ?? 0;
  const above = durations[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

/** Returns the time that is left of tasks that have taken `elapsedMs`, from those that took longer; empty when none did. */
export function remainingOf(durations: Durations, elapsedMs: number): Durations {
  return durations.filter((ms) => ms > elapsedMs).map((ms) => ms - elapsedMs);
}
