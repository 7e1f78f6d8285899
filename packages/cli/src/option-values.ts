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
