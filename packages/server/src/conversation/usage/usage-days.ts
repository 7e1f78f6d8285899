import { dayMs, minuteMs } from '../../lib/time-units.ts';
import type { UsageRange } from './usage-store.ts';

/** The last days of a clock that is ahead of UTC by the offset, including today. */
export interface UsageDays extends UsageRange {
  /** Days since 1970, in ascending order. */
  numbers: number[];
}

export function lastDays(
  nowMs: number,
  { days, offsetMinutes }: { days: number; offsetMinutes: number },
): UsageDays {
  const offsetMs = offsetMinutes * minuteMs;
  const today = Math.floor((nowMs + offsetMs) / dayMs);
  const numbers = Array.from({ length: days }, (_, index) => today - days + 1 + index);
  return {
    numbers,
    fromMs: (today - days + 1) * dayMs - offsetMs,
    toMs: (today + 1) * dayMs - offsetMs,
  };
}

/** `2026-01-31`. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
