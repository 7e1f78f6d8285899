import { type DurationPart, splitDuration, splitRange } from './duration.ts';
import { splitRelative } from './relative.ts';

/** The sign for a value that is not known. */
export const blank = '—';

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const tinyAmount = 0.01;

/** Numbers, times and amounts as the users of one language read them. */
export interface Format {
  count(value: number): string;
  /** Large numbers in short: 214K. */
  compact(value: number): string;
  /** 0 to 100. */
  percent(value: number): string;
  bytes(value: number): string;
  duration(ms: number): string;
  /** A range of durations: 2–4 min. */
  range(fromMs: number, toMs: number): string;
  relative(at: Date, now: number): string;
  dateTime(at: Date): string;
  time(at: Date): string;
  date(at: Date): string;
  /** Null stays blank: a price that is not known is not zero. */
  money(value: number | null, currency: string | null): string;
  list(items: readonly string[]): string;
  /** Sentences one after the other; Chinese has no space between them. */
  sentences(sentences: readonly string[]): string;
}

/** A formatter is dear to make, and a page needs few of them. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type UnitFormat = (unit: string, display: 'narrow' | 'short' | 'long', digits: number) => Intl.NumberFormat;

export function makeFormat(locale: string): Format {
  const count = once(() => new Intl.NumberFormat(locale));
  const compact = once(
    () => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }),
  );
  const percent = once(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }));
  const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' }));
  const dateTime = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }));
  const time = once(() => new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }));
  const date = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
  const list = once(() => new Intl.ListFormat(locale, { type: 'conjunction' }));
  const units = new Map<string, Intl.NumberFormat>();
  // A list formats hundreds of durations, and a formatter is dear to make.
  const unitFormat: UnitFormat = (unit, unitDisplay, maximumFractionDigits) => {
    const key = `${unit} ${unitDisplay} ${maximumFractionDigits}`;
    const known = units.get(key);
    if (known !== undefined) return known;
    const made = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits });
    units.set(key, made);
    return made;
  };
  return {
    count: (value) => count().format(value),
    compact: (value) => compact().format(value),
    percent: (value) => percent().format(value / 100),
    bytes: (value) => formatBytes(unitFormat, value),
    duration: (ms) =>
      splitDuration(ms)
        .map((part) => formatPart(unitFormat, part))
        .join(' '),
    range: (fromMs, toMs) => formatRange(unitFormat, fromMs, toMs),
    relative: (at, now) => {
      const { value, unit } = splitRelative(at.getTime(), now);
      return relative().format(value, unit);
    },
    dateTime: (at) => dateTime().format(at),
    time: (at) => time().format(at),
    date: (at) => date().format(at),
    money: (value, currency) => formatMoney(locale, value, currency),
    list: (items) => list().format(items),
    sentences: (sentences) => sentences.join(locale.startsWith('zh') ? '' : ' '),
  };
}

function formatPart(unitFormat: UnitFormat, { value, unit, fractionDigits }: DurationPart): string {
  const parts = unitFormat(unit, 'narrow', fractionDigits).formatToParts(value);
  // A Latin letter stands apart from its number; a Chinese unit follows it at once.
  return parts
    .map(({ type, value: part }) => (type === 'unit' && /^[a-z]/i.test(part) ? `\u00a0${part}` : part))
    .join('');
}

function formatRange(unitFormat: UnitFormat, fromMs: number, toMs: number): string {
  const { from, to, unit } = splitRange(fromMs, toMs);
  const format = unitFormat(unit, 'short', 0);
  return from === to ? format.format(to) : format.formatRange(from, to);
}

function formatBytes(unitFormat: UnitFormat, value: number): string {
  const bytes = Math.max(0, value);
  const place = bytes < 1_000 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** place;
  const digits = place > 0 && amount < 10 ? 1 : 0;
  return unitFormat(byteUnits[place] ?? 'byte', place === 0 ? 'long' : 'short', digits).format(amount);
}

function formatMoney(locale: string, value: number | null, currency: string | null): string {
  if (value === null) return blank;
  const digits = value !== 0 && Math.abs(value) < tinyAmount ? 4 : 2;
  const fraction = { minimumFractionDigits: Math.min(2, digits), maximumFractionDigits: digits };
  if (currency === null) return new Intl.NumberFormat(locale, fraction).format(value);
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...fraction }).format(value);
}
