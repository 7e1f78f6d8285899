import type { Locale } from '../lib/locale-choice.ts';
import { nextTask } from '../lib/next-task.ts';
import type { Texts } from './collect-messages.ts';

const files: Record<Locale, () => Promise<{ messages: Texts }>> = {
  en: () => import('./locales/en.ts'),
  'zh-CN': () => import('./locales/zh-cn.ts'),
};

/** The texts of a locale, which the browser loads when they are first needed. */
export async function loadMessages(locale: Locale): Promise<Texts> {
  const { messages } = await files[locale]();
  await nextTask();
  readLocaleData(locale);
  return messages;
}

/** The first format of a locale reads its data. That takes longer than drawing, so it is done while other files still come. */
function readLocaleData(locale: Locale): void {
  new Intl.NumberFormat(locale).format(0);
  new Intl.PluralRules(locale).select(0);
}
