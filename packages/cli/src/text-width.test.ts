import { expect, it } from 'vitest';
import { cutToWidth, padToWidth, widthOf } from './text-width.ts';

it.each([
  ['cat.png', 7],
  ['猫の写真', 8],
  ['고양이', 6],
  ['ｃａｔ', 6],
  ['e\u0301te\u0301', 3],
  ['👩‍🚀🎉', 4],
  ['❤️', 2],
  ['Straße', 6],
])('counts the columns of %j', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

it('cuts between characters, so that the text and its ellipsis fit', () => {
  expect(cutToWidth('猫の写真', 8)).toBe('猫の写真');
  expect(cutToWidth('猫の写真', 7)).toBe('猫の写…');
  expect(cutToWidth('猫の写真', 6)).toBe('猫の…');
  expect(cutToWidth('e\u0301te\u0301', 2)).toBe('e\u0301…');
  expect(cutToWidth('cat', 0)).toBe('');
});

it('fills text up to a column', () => {
  expect(padToWidth('猫', 4)).toBe('猫  ');
  expect(padToWidth('猫の写真', 4)).toBe('猫の写真');
});
