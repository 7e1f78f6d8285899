import { useLocale } from 'use-intl';
import { type Format, makeFormat } from './format.ts';

/** One for each language that was shown: rows of a list share it. */
const formats = new Map<string, Format>();

/** The formats of the language of the page. */
export function useFormat(): Format {
  const locale = useLocale();
  const known = formats.get(locale);
  if (known !== undefined) return known;
  const format = makeFormat(locale);
  formats.set(locale, format);
  return format;
}
