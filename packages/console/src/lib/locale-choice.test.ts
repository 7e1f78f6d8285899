import { expect, it } from 'vitest';
import { chooseLocale } from './locale-choice.ts';

it.each([
  [['zh-TW', 'en'], 'zh-CN'],
  [['de-DE', 'en-GB', 'zh'], 'en'],
  [['fr', 'zh-Hans-CN'], 'zh-CN'],
  [['fr'], 'en'],
  [[], 'en'],
] as const)('a browser that prefers %j gets %s', (languages, locale) => {
  expect(chooseLocale(languages)).toBe(locale);
});
