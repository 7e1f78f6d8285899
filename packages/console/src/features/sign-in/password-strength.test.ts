import { expect, it } from 'vitest';
import { isAllowed, strengthOf } from './password-strength.ts';

it.each([
  ['', 'empty'],
  ['1234567', 'short'],
  ['12345678', 'fair'],
  ['a'.repeat(12), 'good'],
  ['a'.repeat(16), 'strong'],
  ['密'.repeat(342), 'long'],
] as const)('the password %j is %s', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});

it('allows what the contract allows: 8 characters at least, 1,024 bytes at most', () => {
  expect(isAllowed('1234567')).toBe(false);
  expect(isAllowed('12345678')).toBe(true);
  expect(isAllowed('a'.repeat(1_024))).toBe(true);
  expect(isAllowed('a'.repeat(1_025))).toBe(false);
});
