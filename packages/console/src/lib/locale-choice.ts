import { storedChoice } from './stored-choice.ts';

export const locales = ['en', 'zh-CN'] as const;
export type Locale = (typeof locales)[number];

/** The first language of the browser that the console speaks. Every kind of Chinese leads to the one it has. */
export function chooseLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    const base = language.toLowerCase().split('-')[0];
    if (base === 'zh') return 'zh-CN';
    if (base === 'en') return 'en';
  }
  return 'en';
}

/** The locale of the page: what the user has chosen, else what the browser prefers. */
export const localeChoice = storedChoice('switchyard.locale', {
  values: locales,
  fallback: () => chooseLocale(window.navigator.languages),
});
