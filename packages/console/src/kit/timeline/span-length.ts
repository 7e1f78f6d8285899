import { makeFormat } from '../../lib/format/format.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** The length of a span, exact below a minute: 3 ms, 1.42 s, 2 m 5 s. */
export function spanLength(ms: number, locale: string): string {
  const length = Math.max(0, ms);
  if (length < secondMs) return inUnit(locale, Math.round(length), 'millisecond');
  if (length < minuteMs) return inUnit(locale, length / secondMs, 'second');
  return makeFormat(locale).duration(length);
}

function inUnit(locale: string, value: number, unit: 'millisecond' | 'second'): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'narrow',
    maximumFractionDigits: 2,
  });
  // A Latin letter stands apart from its number; a Chinese unit follows it at once.
  return format
    .formatToParts(value)
    .map(({ type, value: part }) => (type === 'unit' && /^[a-z]/i.test(part) ? `\u00a0${part}` : part))
    .join('');
}
