import { parseDuration } from '@switchyard/server/lib/duration';
import { InvalidArgumentError } from 'commander';

/** For options that take a whole number. The error names the allowed range. */
export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Write a whole number from ${from} to ${to}.`);
  };
}

/** Parses seconds, or a duration with its unit: `90`, `10m`. */
export function seconds(text: string): number {
  try {
    return Math.ceil(parseDuration(/^\d+$/.test(text) ? `${text}s` : text) / 1_000);
  } catch {
    throw new InvalidArgumentError('Write seconds, or a number and a unit: 90, 10m or 2h.');
  }
}

/** For options that may be given several times. */
export function collected(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** A moment: a date and time, or how long ago it was: `2030-01-31T12:00:00Z`, `2h`, `7d`. */
export function moment(text: string, nowMs = Date.now()): string {
  try {
    return new Date(nowMs - parseDuration(text)).toISOString();
  } catch {
    const epochMs = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(epochMs)) return new Date(epochMs).toISOString();
    throw new InvalidArgumentError(
      'Write a date and time (2030-01-31T12:00:00Z), or how long ago: 90m, 2h or 7d.',
    );
  }
}
