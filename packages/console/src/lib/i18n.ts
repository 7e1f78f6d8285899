import { useTranslations } from 'use-intl';
import { chooseLocale, locales } from './locale-choice.ts';
import { storedChoice } from './stored-choice.ts';

/** The locale of the page: what the user has chosen, else what the browser prefers. */
export const localeChoice = storedChoice('switchyard.locale', {
  values: locales,
  fallback: () => chooseLocale(window.navigator.languages),
});

/** The texts of one namespace: the name of a feature, `kit` or `app`. */
export const useText: typeof useTranslations = useTranslations;
