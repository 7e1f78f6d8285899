import format from 'icu-minify/format';
import { expect, it } from 'vitest';
import { compileMessages } from './compiled-messages.ts';

const formatters = {
  getNumberFormat: (locale: string, options?: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(locale, options),
  getPluralRules: (locale: string, options?: Intl.PluralRulesOptions) =>
    new Intl.PluralRules(locale, options),
  getDateTimeFormat: (locale: string, options?: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, options),
};

it('compiles plurals, numbers and choices at every depth, and leaves plain texts as they are', () => {
  const source = {
    plain: 'Nothing waits',
    list: { waiting: '{count, plural, one {# task waits} other {# tasks wait}}' },
    share: '{share, number, ::percent .0} failed',
  };
  const { plain, list, share } = compileMessages(source, 'en.json') as {
    plain: string;
    list: { waiting: Parameters<typeof format>[0] };
    share: Parameters<typeof format>[0];
  };
  expect(plain).toBe('Nothing waits');
  const say = (message: Parameters<typeof format>[0], values: Record<string, number>) =>
    format(message, 'en', values, { formatters });
  expect([say(list.waiting, { count: 1 }), say(list.waiting, { count: 1_200 })]).toEqual([
    '1 task waits',
    '1,200 tasks wait',
  ]);
  expect(say(share, { share: 0.125 })).toBe('12.5% failed');
});

it('names the file and the key of a message that cannot be read', () => {
  expect(() => compileMessages({ wait: { some: '{count, plural, one {#}' } }, 'a/messages/en.json')).toThrow(
    /a\/messages\/en\.json: the message some/,
  );
});
