import { makeFormat } from '../../lib/format/format.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

interface LengthFormats {
  milliseconds: Intl.NumberFormat;
  seconds: Intl.NumberFormat;
  duration: (ms: number) => string;
}

/** Making a format takes longer than drawing a row, so each language has its formats once. */
const known = new Map<string, LengthFormats>();

/** The length of a span, exact below a minute: 3 ms, 1.42 s, 2 m 5 s. */
export function spanLength(ms: number, locale: string): string {
  const formats = formatsOf(locale);
  const length = Math.max(0, ms);
  if (length < secondMs) return text(formats.milliseconds, Math.round(length));
  return length < minuteMs ? text(formats.seconds, length / secondMs) : formats.duration(length);
}

function formatsOf(locale: string): LengthFormats {
  const before = known.get(locale);
  if (before) return before;
  const narrow = { style: 'unit', unitDisplay: 'narrow', maximumFractionDigits: 2 } as const;
  const formats = {
    milliseconds: new Intl.NumberFormat(locale, { ...narrow, unit: 'millisecond', unitDisplay: 'short' }),
    seconds: new Intl.NumberFormat(locale, { ...narrow, unit: 'second' }),
    duration: makeFormat(locale).duration,
  };
  known.set(locale, formats);
  return formats;
}

/** A Latin letter stands apart from its number by one space; a Chinese unit follows it at once. */
function text(format: Intl.NumberFormat, value: number): string {
  return format
    .formatToParts(value)
    .filter(({ type }) => type !== 'literal')
    .map(({ type, value: part }) => (type === 'unit' && /^[a-z]/i.test(part) ? `\u00a0${part}` : part))
    .join('');
}
