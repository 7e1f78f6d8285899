import { expect, it } from 'vitest';
import { blank, makeFormat } from './format.ts';
import { splitRelative } from './relative.ts';

const en = makeFormat('en');
const zh = makeFormat('zh-CN');
const now = Date.parse('2026-03-04T05:06:07Z');
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

it('writes a duration in the units of the language', () => {
  expect(plain(en.duration(100_000))).toBe('1 m 40 s');
  expect(plain(en.duration(420))).toBe('0.4 s');
  expect(zh.duration(100_000)).toBe('1分钟 40秒');
});

it('writes a range of durations with one unit', () => {
  expect(en.range(130_000, 230_000)).toMatch(/^2.4 min$/);
  expect(zh.range(130_000, 230_000)).toMatch(/^2.4分钟$/);
  expect(en.range(60_000, 60_000)).toBe('60 sec');
});

it('writes sizes with the prefix that fits', () => {
  expect(en.bytes(12)).toBe('12 bytes');
  expect(en.bytes(1_000)).toBe('1 kB');
  expect(en.bytes(1_240_000)).toBe('1.2 MB');
  expect(zh.bytes(24_000_000_000)).toMatch(/^24\s?(GB|吉字节)$/);
});

it('groups counts and shortens large ones', () => {
  expect(en.count(10_000)).toBe('10,000');
  expect(en.compact(214_300)).toBe('214.3K');
  expect(zh.compact(214_300)).toBe('21.4万');
});

it('leaves an amount that is not known blank, and shows tiny amounts', () => {
  expect(en.money(null, 'USD')).toBe(blank);
  expect(en.money(0, 'USD')).toBe('$0.00');
  expect(en.money(0.0034, 'USD')).toBe('$0.0034');
  expect(zh.money(1.5, 'USD')).toBe('US$1.50');
  expect(en.money(1.5, null)).toBe('1.50');
});

it('says how long ago something was, in the largest unit that fits', () => {
  expect(splitRelative(now - 12_900, now)).toEqual({ value: -12, unit: 'second' });
  expect(splitRelative(now - 3_600_000, now)).toEqual({ value: -1, unit: 'hour' });
  expect(splitRelative(now + 90_000, now)).toEqual({ value: 1, unit: 'minute' });
  expect(splitRelative(now - 5 * 86_400_000, now)).toEqual({ value: -5, unit: 'day' });
  expect(en.relative(new Date(now - 12_000), now)).toBe('12s ago');
  expect(zh.relative(new Date(now - 12_000), now)).toBe('12秒前');
});

it('writes percentages and lists', () => {
  expect(en.percent(62.4)).toBe('62%');
  expect(en.list(['a', 'b', 'c'])).toBe('a, b, and c');
  expect(zh.list(['a', 'b'])).toBe('a和b');
});

it('puts a space between sentences where the language has one', () => {
  expect(makeFormat('en').sentences(['One.', 'Two.'])).toBe('One. Two.');
  expect(makeFormat('zh-CN').sentences(['一。', '二。'])).toBe('一。二。');
});
