import { expect, test } from 'vitest';
import { CommonPasswords } from './common-passwords.ts';

test('holds the 36 documented passwords', () => {
  expect(new CommonPasswords().size).toBe(36);
});

test.each(['password', 'PassWord123', 'P@SSW0RD', 'welcome123'])('contains %s in any case', (password) => {
  expect(new CommonPasswords().has(password)).toBe(true);
});

test.each(['passwort1', 'password12345', 'passw0rd ', ''])('does not contain %j', (password) => {
  expect(new CommonPasswords().has(password)).toBe(false);
});

test('reads a larger list with any line ends, including passwords with spaces', () => {
  const common = new CommonPasswords('Correct Horse\r\nhunter2hunter2\n\n');
  expect(common.size).toBe(38);
  expect(common.has('correct horse')).toBe(true);
  expect(common.has('HUNTER2HUNTER2')).toBe(true);
});
