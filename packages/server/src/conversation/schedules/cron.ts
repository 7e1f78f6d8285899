import { dayMs, hourMs, minuteMs } from '../../lib/time-units.ts';
import { momentsOf, wallTimeOf } from '../../lib/wall-clock.ts';

/** A schedule of five fields: minute, hour, day of the month, month, day of the week. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
  /** True when both kinds of day are named; then one of them is enough. */
  anyDay: boolean;
  /** Every hour of the day: then an hour that the clocks show twice counts twice. */
  everyHour: boolean;
}

interface Field {
  name: string;
  min: number;
  max: number;
  words?: readonly string[];
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: monthNames },
  { name: 'day of the week', min: 0, max: 7, words: dayNames },
];

/** The 29th of February can be eight years away. */
const maxDaysAhead = 8 * 366 + 1;

/** A fault in a schedule. Its message is a sentence with the form to write. */
export class CronFault extends Error {}

export function readCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) {
    throw new CronFault(
      'Write five fields: minute, hour, day of the month, month, day of the week, for example `0 9 * * 1-5`.',
    );
  }
  const [minutes, hours, days, months, weekdays] = fields.map((field, index) =>
    readField(parts[index] ?? '', field),
  ) as [number[], number[], number[], number[], number[]];
  const isOpen = (index: number): boolean => parts[index]?.startsWith('*') ?? false;
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    anyDay: !isOpen(2) && !isOpen(4),
    everyHour: hours.length === 24,
  };
}

/** Returns the first moment after this one; null when there is none. */
export function nextMoment(cron: Cron, zone: string, afterMs: number): number | null {
  const today = Math.floor(wallTimeOf(afterMs, zone) / dayMs);
  // The day before can have a time that its clocks skipped, and so comes later than midnight.
  for (let day = today - 1; day <= today + maxDaysAhead; day += 1) {
    if (!isDay(cron, day)) continue;
    const first = firstOfDay(cron, { day, zone, afterMs });
    if (first !== null) return first;
  }
  return null;
}

function isDay({ days, months, weekdays, anyDay }: Cron, day: number): boolean {
  const date = new Date(day * dayMs);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const isDate = days.has(date.getUTCDate());
  const isWeekday = weekdays.has(date.getUTCDay());
  return anyDay ? isDate || isWeekday : isDate && isWeekday;
}

function firstOfDay(
  { hours, minutes, everyHour }: Cron,
  { day, zone, afterMs }: { day: number; zone: string; afterMs: number },
): number | null {
  const start = day * dayMs;
  const walls = hours.flatMap((hour) => minutes.map((minute) => start + hour * hourMs + minute * minuteMs));
  // On most days the clocks are not changed, and every time of the day is as far from its moment as the first one.
  const [shift, isEven] = shiftOfDay(start, zone);
  if (isEven) {
    const first = walls.find((wall) => wall - shift > afterMs);
    return first === undefined ? null : first - shift;
  }
  const moments = walls.flatMap((wall) => momentsOf(wall, zone).slice(0, everyHour ? 2 : 1));
  const coming = moments.filter((at) => at > afterMs);
  return coming.length > 0 ? Math.min(...coming) : null;
}

function shiftOfDay(start: number, zone: string): [shift: number, isEven: boolean] {
  const shiftAt = (at: number): number => wallTimeOf(at, zone) - at;
  const shift = shiftAt(start - dayMs);
  return [shift, shift === shiftAt(start + 2 * dayMs)];
}

function readField(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const part of text.toLowerCase().split(','))
    for (const value of readPart(part, field)) values.add(value);
  return [...values].sort((one, other) => one - other);
}

function readPart(part: string, field: Field): number[] {
  const [range = '', step, ...rest] = part.split('/');
  const stride = step === undefined ? 1 : Number(step);
  const isStride = step === undefined || (/^\d{1,2}$/.test(step) && stride > 0);
  if (rest.length > 0 || !isStride) throw faultOf(part, field);
  const [from, to] = readRange(range, field, step !== undefined);
  if (from === null || to === null || from > to) throw faultOf(part, field);
  const values = [];
  for (let value = from; value <= to; value += stride) values.push(value);
  return values;
}

/** With a step, one number begins a range that goes to the end of the field. */
function readRange(range: string, field: Field, hasStep: boolean): [number | null, number | null] {
  const end = field.name === 'day of the week' ? 6 : field.max;
  if (range === '*') return [field.min, end];
  const [first = '', last, ...rest] = range.split('-');
  if (rest.length > 0) return [null, null];
  const from = readValue(first, field);
  if (last !== undefined) return [from, readValue(last, field)];
  return [from, hasStep ? end : from];
}

function readValue(text: string, { min, max, words = [] }: Field): number | null {
  const word = words.indexOf(text);
  if (word >= 0) return word + (words === monthNames ? 1 : 0);
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : null;
}

function faultOf(part: string, { name, min, max }: Field): CronFault {
  return new CronFault(
    `\`${part.slice(0, 20)}\` is not valid as the ${name}. Write *, or numbers from ${min} to ${max}: 5, 1-5, */10, 1,15.`,
  );
}
