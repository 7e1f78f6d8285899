import type { Locale } from '../lib/locale-choice.ts';
import type { Texts } from './collect-messages.ts';

const files: Record<Locale, () => Promise<{ messages: Texts }>> = {
  en: () => import('./locales/en.ts'),
  'zh-CN': () => import('./locales/zh-cn.ts'),
};

/** The texts of a locale, which the browser loads when they are first needed. */
export async function loadMessages(locale: Locale): Promise<Texts> {
  return (await files[locale]()).messages;
}
