import { useMemo } from 'react';
import { useLocale } from 'use-intl';
import { type Format, makeFormat } from './format.ts';

/** The formats of the language of the page. */
export function useFormat(): Format {
  const locale = useLocale();
  return useMemo(() => makeFormat(locale), [locale]);
}
