import { readFileSync } from 'node:fs';
import { createTranslator } from 'use-intl/core';

type Values = Record<string, string | number>;
type Text = (key: string, values?: Values) => string;

/** Returns the texts of a part of the console, as the page itself words them: `app`, `kit`, `kit/pictures` or a feature. */
export type Words = (part: string) => Text;

const source = new URL('../../../packages/console/src/', import.meta.url);

export function wordsOf(locale: 'en' | 'zh-CN'): Words {
  return (part) => {
    const folder = /^(app|kit)\b/.test(part) ? part : `features/${part}`;
    const file = new URL(`${folder}/messages/${locale}.json`, source);
    const messages = JSON.parse(readFileSync(file, 'utf8')) as object;
    const translate = createTranslator({
      locale,
      messages: { [part]: messages } as never,
      namespace: part as never,
      onError: (error) => {
        throw error;
      },
    });
    return translate as unknown as Text;
  };
}
