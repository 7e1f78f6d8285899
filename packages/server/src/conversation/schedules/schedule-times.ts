import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { minuteMs } from '../../lib/time-units.ts';
import { isTimeZone, momentsOf } from '../../lib/wall-clock.ts';
import type { ScheduleRow } from '../tables.ts';
import { CronFault, nextMoment, readCron } from './cron.ts';

/** The times of a schedule, as ISO text. */
export type ScheduleTimes = Pick<ScheduleRow, 'cron' | 'run_at' | 'timezone' | 'end_time'>;

/** A run that should begin sooner can be started now. */
const minDelayMs = minuteMs;

/** Returns the first moment after this one; null when there is none before the end of the schedule. */
export function nextRunAt(times: ScheduleTimes, afterMs: number): string | null {
  const { cron, run_at, timezone, end_time } = times;
  if (cron === null) return run_at;
  const next = nextMoment(readCron(cron), timezone, afterMs);
  if (next === null || (end_time !== null && toIso(next) > end_time)) return null;
  return toIso(next);
}

export function requireZone(name: string): string {
  if (isTimeZone(name)) return name;
  throw invalid(`Unknown timezone: ${name}. Write a name such as Europe/Berlin or UTC.`);
}

/** Throws for a text that is not a schedule, and for one whose moments never come. */
export function requireCron(text: string, { zone, nowMs }: { zone: string; nowMs: number }): string {
  try {
    if (nextMoment(readCron(text), zone, nowMs) !== null) return text.trim();
  } catch (error) {
    if (error instanceof CronFault) throw invalid(`The cron schedule is not valid. ${error.message}`);
    throw error;
  }
  throw invalid('The cron schedule names a day that never comes.');
}

export function requireRunAt(text: string, { zone, nowMs }: { zone: string; nowMs: number }): string {
  const at = momentIn(text, zone);
  if (at === null)
    throw invalid('once schedule: run_at is not a time. Write ISO 8601: 2027-01-31T09:00:00Z.');
  if (at <= nowMs) throw invalid('once schedule must be in the future');
  if (at < nowMs + minDelayMs) throw invalid('once schedule must be at least 60 seconds in the future');
  return toIso(at);
}

export function requireEndTime(text: string): string {
  const at = momentIn(text, 'UTC');
  if (at === null) throw invalid('end_time is not a time. Write ISO 8601: 2027-01-31T09:00:00Z.');
  return toIso(at);
}

export function invalid(message: string): AppError {
  return new AppError('validation_failed', { message });
}

const timePattern = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Without an offset it is what the clocks of the zone show. */
function momentIn(text: string, zone: string): number | null {
  const match = timePattern.exec(text.trim());
  if (!match) return null;
  const iso = text.trim().replace(' ', 'T');
  const hasTime = iso.includes('T');
  if (match[1] !== undefined && !hasTime) return null;
  const whole = hasTime ? iso : `${iso}T00:00:00`;
  const at = Date.parse(match[1] === undefined ? `${whole}Z` : whole);
  if (Number.isNaN(at)) return null;
  return match[1] === undefined ? (momentsOf(at, zone)[0] ?? null) : at;
}
