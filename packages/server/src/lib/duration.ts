import { dayMs, hourMs, minuteMs, secondMs } from './time-units.ts';

const unitMs = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs } as const;
/** Reads `500ms`, `25s`, `5m`, `12h` or `7d` into milliseconds. Throws a RangeError that says what to write. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text.trim());
  if (!match) {
    throw new RangeError(
      `"${text}" is not a duration; write a whole number and a unit: 500ms, 25s, 5m, 12h or 7d`,
    );
  }
  const durationMs = Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
  if (!Number.isSafeInteger(durationMs)) throw new RangeError(`"${text}" is too long for a duration`);
  return durationMs;
}

/** Writes milliseconds in the largest unit that keeps them whole, so that parsing it gives the same number back. */
export function formatDuration(durationMs: number): string {
  const units = (['d', 'h', 'm', 's'] as const).filter((unit) => durationMs % unitMs[unit] === 0);
  const unit = durationMs === 0 ? 's' : (units[0] ?? 'ms');
  return `${durationMs / unitMs[unit]}${unit}`;
}
